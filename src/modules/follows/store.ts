import { sql, type Expression, type Insertable } from 'kysely'
import type { DB } from '../../../db/tables.ts'
import type { Db, Tx } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import type { Cursor } from '../../kernel/paging.ts'
import { anyOf } from '../../platform/database/any-of.ts'
import { keysetPage } from '../../platform/database/keyset.ts'
import { pairId, parsePairId, type Pair } from './pair.ts'
import type { FollowStatus, StatusFilter } from './schema.ts'

export interface RelationRow {
  fromUserId: string
  fromPublicId: string
  toUserId: string
  toPublicId: string
  status: FollowStatus
  createdAt: Date
  updatedAt: Date
}

/** Relations by id, those that never were included: since the younger of the two came there has been none. */
export async function findRelations(db: Db, ids: string[]): Promise<Map<string, RelationRow>> {
  const pairs = ids.map(parsePairId)
  const { rows } = await sql<RelationRow>`
    select "from".id as from_user_id, "from".user_id as from_public_id,
      "to".id as to_user_id, "to".user_id as to_public_id,
      coalesce(follows.status, 'none') as status,
      coalesce(follows.created_at, greatest("from".created_at, "to".created_at)) as created_at,
      coalesce(follows.updated_at, greatest("from".created_at, "to".created_at)) as updated_at
    from unnest(${pairs.map(({ from }) => from)}::text[], ${pairs.map(({ to }) => to)}::text[])
      as pair (from_user_id, to_user_id)
    join users "from" on "from".id = pair.from_user_id
    join users "to" on "to".id = pair.to_user_id
    left join follows on follows.from_user_id = pair.from_user_id and follows.to_user_id = pair.to_user_id
  `.execute(db)
  return new Map(rows.map((row) => [pairId({ from: row.fromUserId, to: row.toUserId }), row]))
}

export async function findStatus(db: Db, { from, to }: Pair): Promise<FollowStatus> {
  const row = await db
    .selectFrom('follows')
    .select('status')
    .where('fromUserId', '=', from)
    .where('toUserId', '=', to)
    .executeTakeFirst()
  return (row?.status ?? 'none') as FollowStatus
}

/** Keeps every relation of these people as it is until `tx` ends: whoever changes one comes here first. */
export async function lockRelations(tx: Tx, userIds: string[]): Promise<void> {
  const inOrder = [...new Set(userIds)].sort()
  await tx
    .insertInto('followCounts')
    .values(inOrder.map((userId) => ({ userId })))
    .onConflict((c) => c.column('userId').doNothing())
    .execute()
  await tx
    .selectFrom('followCounts')
    .select('userId')
    .where('userId', '=', anyOf(inOrder))
    .orderBy('userId')
    .forNoKeyUpdate()
    .execute()
}

/** Writes a relation. A new one begins now; one that goes from asked to accepted keeps its beginning. */
export async function upsertFollow(tx: Tx, follow: Insertable<DB['follows']>): Promise<void> {
  await tx
    .insertInto('follows')
    .values(follow)
    .onConflict((c) =>
      c.columns(['fromUserId', 'toUserId']).doUpdateSet((e) => ({
        status: e.ref('excluded.status'),
        createdAt: sql<Date>`case when follows.status = 'none' then excluded.created_at else follows.created_at end`,
        updatedAt: e.ref('excluded.updatedAt'),
      })),
    )
    .execute()
}

export interface CountChanges {
  followerCount?: number
  followingCount?: number
  pendingCount?: number
}

export async function addToFollowCounts(tx: Tx, userId: string, changes: CountChanges): Promise<void> {
  const { followerCount = 0, followingCount = 0, pendingCount = 0 } = changes
  await tx
    .updateTable('followCounts')
    .set((e) => ({
      followerCount: e('followerCount', '+', followerCount),
      followingCount: e('followingCount', '+', followingCount),
      pendingCount: e('pendingCount', '+', pendingCount),
    }))
    .where('userId', '=', userId)
    .execute()
}

export interface CountsRow {
  id: string
  publicId: string
  followerCount: number
  followingCount: number
  pendingCount: number
}

export async function findFollowCounts(db: Db, userIds: string[]): Promise<CountsRow[]> {
  return db
    .selectFrom('users')
    .leftJoin('followCounts as counts', 'counts.userId', 'users.id')
    .select([
      'users.id',
      'users.userId as publicId',
      sql<number>`coalesce(counts.follower_count, 0)`.as('followerCount'),
      sql<number>`coalesce(counts.following_count, 0)`.as('followingCount'),
      sql<number>`coalesce(counts.pending_count, 0)`.as('pendingCount'),
    ])
    .where('users.id', '=', anyOf(userIds))
    .execute()
}

/** A list of relations: those that begin or end at one user. */
export interface RelationFilter {
  userId: string
  side: 'followers' | 'following'
  status: StatusFilter
  viewerId: string
  /** Whether requests between others are shown: to the one they are made to or by, and to admins. */
  showsRequests: boolean
  isDeleted?: boolean
}

/** A relation of a list, by its other end. */
export interface ListedRelation {
  otherId: string
  createdAt: Date
}

/** A page of relations, newest first, without people the viewer blocked or is blocked by. */
export async function queryRelationRows(
  db: Db,
  filter: RelationFilter,
  cursor: Cursor,
): Promise<ListedRelation[]> {
  const [own, other] =
    filter.side === 'followers'
      ? (['toUserId', 'fromUserId'] as const)
      : (['fromUserId', 'toUserId'] as const)
  const otherId = `follows.${other}` as const
  // Spelled out, so that the planner sees which partial index holds the answer.
  const status = filter.status === 'pending' ? sql`follows.status = 'pending'` : sql`follows.status <> 'none'`
  let rows = db
    .selectFrom('follows')
    .innerJoin('users', 'users.id', otherId)
    .select([`${otherId} as otherId`, 'follows.createdAt'])
    .where(`follows.${own}`, '=', filter.userId)
    .where(status as never)
    .where((e) => e.not(e.exists(blockBetween(db, filter.viewerId, e.ref(otherId)))))
  if (filter.status === 'accepted') rows = rows.where('follows.status', '=', 'accepted')
  if (filter.isDeleted !== undefined) rows = rows.where('users.isDeleted', '=', filter.isDeleted)
  if (!filter.showsRequests) {
    rows = rows.where((e) => e.or([e('follows.status', '=', 'accepted'), e(otherId, '=', filter.viewerId)]))
  }
  const page = keysetPage(
    rows,
    cursor,
    [
      { column: 'follows.createdAt', type: 'time' },
      { column: otherId, type: 'text' },
    ],
    'desc',
  )
  return (page ?? fail('badPageToken')).execute()
}

function blockBetween(db: Db, userId: string, otherId: Expression<string>) {
  return db
    .selectFrom('userBlocks')
    .select('fromUserId')
    .where(
      sql<boolean>`(from_user_id = ${userId} and to_user_id = ${otherId})
        or (from_user_id = ${otherId} and to_user_id = ${userId})`,
    )
}

/** Blocks; answers whether that was new. */
export async function insertBlock(tx: Tx, block: Insertable<DB['userBlocks']>): Promise<boolean> {
  const result = await tx
    .insertInto('userBlocks')
    .values(block)
    .onConflict((c) => c.columns(['fromUserId', 'toUserId']).doNothing())
    .executeTakeFirst()
  return result.numInsertedOrUpdatedRows === 1n
}

/** Ends a block; answers whether there was one. */
export async function deleteBlock(tx: Tx, { from, to }: Pair): Promise<boolean> {
  const result = await tx
    .deleteFrom('userBlocks')
    .where('fromUserId', '=', from)
    .where('toUserId', '=', to)
    .executeTakeFirst()
  return result.numDeletedRows === 1n
}

/** When one user blocked others, by the others' ids. */
export async function findBlocksBy(db: Db, userId: string, otherIds: string[]): Promise<Map<string, Date>> {
  const rows = await db
    .selectFrom('userBlocks')
    .select(['toUserId', 'createdAt'])
    .where('fromUserId', '=', userId)
    .where('toUserId', '=', anyOf(otherIds))
    .execute()
  return new Map(rows.map((row) => [row.toUserId, row.createdAt]))
}

/** Everybody whom a user blocked or is blocked by. */
export async function blockedIds(db: Db, userId: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select to_user_id as id from user_blocks where from_user_id = ${userId}
    union select from_user_id from user_blocks where to_user_id = ${userId}
  `.execute(db)
  return rows.map((row) => row.id)
}

/** Whether either of two people blocked the other. */
export async function isBlockedEitherWay(db: Db, userId: string, otherId: string): Promise<boolean> {
  return (
    (await blockBetween(db, userId, sql<string>`${otherId}`)
      .limit(1)
      .executeTakeFirst()) !== undefined
  )
}

/** A page of the people one user blocked, newest first. */
export async function queryBlockRows(
  db: Db,
  userId: string,
  isDeleted: boolean | undefined,
  cursor: Cursor,
): Promise<ListedRelation[]> {
  const rows = db
    .selectFrom('userBlocks')
    .innerJoin('users', 'users.id', 'userBlocks.toUserId')
    .select(['userBlocks.toUserId as otherId', 'userBlocks.createdAt'])
    .where('userBlocks.fromUserId', '=', userId)
    .$if(isDeleted !== undefined, (q) => q.where('users.isDeleted', '=', isDeleted!))
  const page = keysetPage(
    rows,
    cursor,
    [
      { column: 'userBlocks.createdAt', type: 'time' },
      { column: 'userBlocks.toUserId', type: 'text' },
    ],
    'desc',
  )
  return (page ?? fail('badPageToken')).execute()
}

export async function countBlocks(db: Db, userId: string, isDeleted: boolean | undefined): Promise<number> {
  const row = await db
    .selectFrom('userBlocks')
    .innerJoin('users', 'users.id', 'userBlocks.toUserId')
    .select((e) => e.fn.countAll<number>().as('blocks'))
    .where('userBlocks.fromUserId', '=', userId)
    .$if(isDeleted !== undefined, (q) => q.where('users.isDeleted', '=', isDeleted!))
    .executeTakeFirstOrThrow()
  return row.blocks
}
