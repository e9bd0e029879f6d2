import type { Db } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import { cutPage, parsePage, type Page } from '../../kernel/paging.ts'
import { isAdmin, type Viewer } from '../../kernel/viewer.ts'
import { resolveUserId } from '../users/index.ts'
import { statusCodes, type QueryScheduledPostsQuery } from './schema.ts'
import { queryScheduledPosts as queryRows, type State } from './store.ts'

/** What the viewer has scheduled; for administrators what everybody has, or one person. */
export async function queryScheduledPosts(
  db: Db,
  viewer: Viewer,
  query: QueryScheduledPostsQuery,
): Promise<Page<{ id: string }>> {
  const { userId, status, sortBy } = query
  const asked = userId === undefined ? undefined : await resolveUserId(db, userId)
  if (asked !== undefined && asked !== viewer.id && !isAdmin(viewer)) fail('permissionDenied')
  const whose = asked ?? (isAdmin(viewer) ? undefined : viewer.id)
  const states = (Object.keys(statusCodes) as State[]).filter((state) => statusCodes[state] === status)
  const cursor = parsePage(query)
  const rows = await queryRows(
    db,
    {
      ...(whose !== undefined && { userId: whose }),
      states,
      order: sortBy === 'lastScheduled' ? 'desc' : 'asc',
    },
    cursor,
  )
  return cutPage(rows, cursor, (row) => [row.scheduledAt.getTime(), row.id])
}
