import { sql, type Insertable, type Selectable, type Updateable } from 'kysely'
import type { DB } from '../../../db/tables.ts'
import type { Db, Tx } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import type { Cursor } from '../../kernel/paging.ts'
import { anyOf } from '../../platform/database/any-of.ts'
import { keysetPage } from '../../platform/database/keyset.ts'

export interface ScheduledPostRow extends Selectable<DB['scheduledPosts']> {
  userPublicId: string
  userDisplayName: string | null
}

export type State = 'waiting' | 'published' | 'failed'

export async function findScheduledPosts(db: Db, ids: string[]): Promise<ScheduledPostRow[]> {
  return select(db).where('scheduledPosts.id', '=', anyOf(ids)).execute()
}

/** One scheduled post, locked until `tx` ends: nobody publishes, changes or cancels it meanwhile. */
export async function lockScheduledPost(tx: Tx, id: string): Promise<ScheduledPostRow | undefined> {
  return select(tx).where('scheduledPosts.id', '=', id).forUpdate('scheduledPosts').executeTakeFirst()
}

export async function insertScheduledPost(tx: Tx, row: Insertable<DB['scheduledPosts']>): Promise<void> {
  await tx.insertInto('scheduledPosts').values(row).execute()
}

export async function updateScheduledPost(
  tx: Tx,
  id: string,
  changes: Updateable<DB['scheduledPosts']>,
): Promise<void> {
  await tx.updateTable('scheduledPosts').set(changes).where('id', '=', id).execute()
}

export async function deleteScheduledPost(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('scheduledPosts').where('id', '=', id).execute()
}

/** Deletes all that a user has scheduled, whatever became of it. */
export async function deleteScheduledPostsOf(tx: Tx, userId: string): Promise<void> {
  await tx.deleteFrom('scheduledPosts').where('userId', '=', userId).execute()
}

/** Deletes some of what was published or failed before a time; answers how many. */
export async function deleteEndedBefore(tx: Tx, before: Date, limit: number): Promise<number> {
  const result = await sql`
    delete from scheduled_posts where id = any(array(
      select id from scheduled_posts where state <> 'waiting' and ended_at < ${before}
      limit ${limit} for update skip locked
    ))`.execute(tx)
  return Number(result.numAffectedRows ?? 0)
}

/** What is to be published by now, oldest first. */
export async function findDueIds(db: Db, at: Date, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('scheduledPosts')
    .select('id')
    .where('state', '=', sql.lit('waiting'))
    .where('scheduledAt', '<=', at)
    .where((e) => e.or([e('retryAt', 'is', null), e('retryAt', '<=', at)]))
    .orderBy('scheduledAt')
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map((row) => row.id)
}

/** How many posts of a user wait. Whoever asks is the only one to add more until `tx` ends. */
export async function countWaiting(tx: Tx, userId: string): Promise<number> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${userId}, ${userLock}))`.execute(tx)
  const { count } = await tx
    .selectFrom('scheduledPosts')
    .select((e) => e.fn.countAll<number>().as('count'))
    .where('userId', '=', userId)
    .where('state', '=', sql.lit('waiting'))
    .executeTakeFirstOrThrow()
  return count
}

// Any constant: keeps these locks apart from others that are taken on texts.
const userLock = 4_102_018

export interface ScheduledPostFilter {
  /** Whose; of everybody when absent. Internal id. */
  userId?: string
  states: State[]
  order: 'asc' | 'desc'
}

/** A page of scheduled posts, by when they are to appear. */
export async function queryScheduledPosts(
  db: Db,
  { userId, states, order }: ScheduledPostFilter,
  cursor: Cursor,
): Promise<{ id: string; scheduledAt: Date }[]> {
  let query = db.selectFrom('scheduledPosts').select(['id', 'scheduledAt'])
  if (userId !== undefined) query = query.where('userId', '=', userId)
  if (states.length > 0) query = query.where('state', '=', anyOf(states))
  const page = keysetPage(
    query,
    cursor,
    [
      { column: 'scheduledAt', type: 'time' },
      { column: 'id', type: 'text' },
    ],
    order,
  )
  return (page ?? fail('badPageToken')).execute()
}

function select(db: Db) {
  return db
    .selectFrom('scheduledPosts')
    .innerJoin('users', 'users.id', 'scheduledPosts.userId')
    .selectAll('scheduledPosts')
    .select(['users.userId as userPublicId', 'users.displayName as userDisplayName'])
}
