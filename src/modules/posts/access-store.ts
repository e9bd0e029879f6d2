import { sql } from 'kysely'
import type { Db } from '../../kernel/database.ts'
import { placeAccess, type PlaceAccess } from '../places/index.ts'

/** What decides whether one viewer may read a post. */
export type PostAccess = PlaceAccess

/** Access of one viewer to many posts, by post id. */
export async function findPostAccess(
  db: Db,
  viewerId: string,
  postIds: string[],
): Promise<Map<string, PostAccess>> {
  const { columns, joins } = placeAccess(viewerId, 'posted_user_id')
  const { rows } = await sql<PostAccess & { id: string }>`
    select placed.id, ${columns} from posts placed ${joins} where placed.id = any (${postIds})
  `.execute(db)
  return new Map(rows.map((row) => [row.id, row]))
}
