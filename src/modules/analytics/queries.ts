import type { Db } from '../../kernel/database.ts'
import { cutPage, parsePage, type Page, type PageQuery } from '../../kernel/paging.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import { queryViewerRows, type ViewerRow } from './store.ts'
import type { ViewTarget } from './target.ts'

/** Who looked at something, the latest first, for those who may know. */
export async function queryViewers(
  db: Db,
  viewer: Viewer,
  target: ViewTarget,
  contentId: string,
  query: PageQuery,
): Promise<Page<ViewerRow>> {
  const id = await target.requireInsight(db, viewer, contentId)
  const cursor = parsePage(query)
  const rows = await queryViewerRows(db, target.type, id, cursor)
  return cutPage(rows, cursor, (row) => [row.firstViewedAt.getTime(), row.userId])
}
