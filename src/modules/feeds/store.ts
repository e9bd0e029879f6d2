import { sql, type Insertable, type Selectable } from 'kysely'
import type { DB } from '../../../db/tables.ts'
import type { Db, Tx } from '../../kernel/database.ts'
import { anyOf } from '../../platform/database/any-of.ts'
import type { FeedTargetType, FeedType } from './schema.ts'

export type FeedRow = Selectable<DB['feeds']>

/** A feed with the id its target has on the wire: a user's public id, a community's id. */
export interface ShownFeedRow extends FeedRow {
  targetPublicId: string
}

export async function findFeedsById(db: Db, ids: string[]): Promise<ShownFeedRow[]> {
  return db
    .selectFrom('feeds')
    .leftJoin('users', (join) =>
      join.onRef('users.id', '=', 'feeds.targetId').on('feeds.targetType', '=', 'user'),
    )
    .selectAll('feeds')
    .select(sql<string>`coalesce(users.user_id, feeds.target_id)`.as('targetPublicId'))
    .where('feeds.id', '=', anyOf(ids))
    .execute()
}

/** The feeds of one target, or none when it has none yet. */
export async function findFeeds(db: Db, targetType: FeedTargetType, targetId: string): Promise<FeedRow[]> {
  return db
    .selectFrom('feeds')
    .selectAll()
    .where('targetType', '=', targetType)
    .where('targetId', '=', targetId)
    .execute()
}

export async function insertFeeds(tx: Tx, feeds: Insertable<DB['feeds']>[]): Promise<void> {
  await tx
    .insertInto('feeds')
    .values(feeds)
    .onConflict((c) => c.constraint('feeds_target').doNothing())
    .execute()
}

/** Adds to the number of posts in a feed. */
export async function addToPostCount(tx: Tx, feedId: string, delta: number, at: Date): Promise<void> {
  await tx
    .updateTable('feeds')
    .set((e) => ({ postCount: e('postCount', '+', delta), updatedAt: at }))
    .where('id', '=', feedId)
    .execute()
}

export type FeedIds = Record<FeedType, string>
