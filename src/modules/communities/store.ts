import { sql, type Insertable, type Selectable, type Updateable } from 'kysely'
import type { DB } from '../../../db/tables.ts'
import type { Db, Tx } from '../../kernel/database.ts'
import { anyOf } from '../../platform/database/any-of.ts'

export type CommunityRow = Selectable<DB['communities']>

/** A community with the public id of who made it, as it is shown. */
export interface ShownCommunityRow extends CommunityRow {
  userPublicId: string
}

export async function findCommunitiesById(db: Db, ids: string[]): Promise<ShownCommunityRow[]> {
  return db
    .selectFrom('communities')
    .innerJoin('users', 'users.id', 'communities.userId')
    .selectAll('communities')
    .select('users.userId as userPublicId')
    .where('communities.id', '=', anyOf(ids))
    .execute()
}

/** A community, deleted or not. */
export async function findCommunity(db: Db, id: string): Promise<CommunityRow | undefined> {
  return db.selectFrom('communities').selectAll().where('id', '=', id).executeTakeFirst()
}

/** Reads a community and keeps others from changing it, its members or its counts until `tx` ends. */
export async function lockCommunity(tx: Tx, id: string): Promise<CommunityRow | undefined> {
  return tx.selectFrom('communities').selectAll().where('id', '=', id).forNoKeyUpdate().executeTakeFirst()
}

export async function insertCommunity(tx: Tx, community: Insertable<DB['communities']>): Promise<void> {
  await tx.insertInto('communities').values(community).execute()
}

export async function updateCommunityRow(
  tx: Tx,
  id: string,
  changes: Updateable<DB['communities']>,
): Promise<void> {
  await tx.updateTable('communities').set(changes).where('id', '=', id).execute()
}

/** What is added to the counters of a community; negative takes away. */
export interface CountChanges {
  posts?: number
  members?: number
  moderators?: number
  flaggedPosts?: number
  flaggedComments?: number
  trend?: number
}

/** Changes counters in one statement. `trend` stops at 0: what is left of a subtraction is rounding. */
export async function addToCounts(tx: Tx, id: string, changes: CountChanges): Promise<void> {
  const { posts = 0, members = 0, moderators = 0, flaggedPosts = 0, flaggedComments = 0, trend = 0 } = changes
  await tx
    .updateTable('communities')
    .set((e) => ({
      postsCount: e('postsCount', '+', posts),
      membersCount: e('membersCount', '+', members),
      moderatorMemberCount: e('moderatorMemberCount', '+', moderators),
      flaggedPostsCount: e('flaggedPostsCount', '+', flaggedPosts),
      flaggedCommentsCount: e('flaggedCommentsCount', '+', flaggedComments),
      trend: sql<number>`greatest(trend + ${trend}::double precision, 0)`,
    }))
    .where('id', '=', id)
    .execute()
}

/** Makes creations and renamings that want this name for themselves alone wait for one another. */
export async function lockDisplayName(tx: Tx, displayName: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('community name ' || lower(${displayName}::text), 0))`.execute(
    tx,
  )
}

/** Whether another living community has this name, letters' case aside. */
export async function hasDisplayName(db: Db, displayName: string, exceptId: string): Promise<boolean> {
  const row = await db
    .selectFrom('communities')
    .select('id')
    .where(sql`lower(display_name)`, '=', sql`lower(${displayName}::text)`)
    .where('isDeleted', '=', false)
    .where('id', '<>', exceptId)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}
