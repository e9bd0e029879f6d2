import { sql } from 'kysely'
import type { Db, Tx } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import type { Cursor } from '../../kernel/paging.ts'
import { keysetPage } from '../../platform/database/keyset.ts'

/** Notes that a user looked at things; answers those they had not looked at before. */
export async function insertViews(
  tx: Tx,
  contentType: string,
  contentIds: string[],
  userId: string,
  at: Date,
): Promise<string[]> {
  // In one order, so that two devices of one person do not wait for one another.
  const { rows } = await sql<{ contentId: string }>`
    insert into content_views (content_type, content_id, user_id, first_viewed_at)
    select ${contentType}, id, ${userId}, ${at}
    from unnest(${contentIds}::text[]) as viewed (id) order by id
    on conflict do nothing
    returning content_id
  `.execute(tx)
  return rows.map((row) => row.contentId)
}

export interface ViewerRow {
  userId: string
  firstViewedAt: Date
}

/** Who looked at something, the latest first. */
export async function queryViewerRows(
  db: Db,
  contentType: string,
  contentId: string,
  cursor: Cursor,
): Promise<ViewerRow[]> {
  const page = keysetPage(
    db
      .selectFrom('contentViews')
      .select(['userId', 'firstViewedAt'])
      .where('contentType', '=', contentType)
      .where('contentId', '=', contentId),
    cursor,
    [
      { column: 'firstViewedAt', type: 'time' },
      { column: 'userId', type: 'text' },
    ],
    'desc',
  )
  return (page ?? fail('badPageToken')).execute()
}

/** Forgets what a user looked at. */
export async function deleteViewsOf(tx: Tx, userId: string): Promise<void> {
  await tx.deleteFrom('contentViews').where('userId', '=', userId).execute()
}
