import { sql, type Insertable } from 'kysely'
import type { DB } from '../../../db/tables.ts'
import type { Db, Tx } from '../../kernel/database.ts'

export interface SessionRow {
  id: string
  userId: string
  deviceId: string | null
  expiresAt: Date
  revokedAt: Date | null
}

export async function insertSession(tx: Tx, session: Insertable<DB['sessions']>): Promise<void> {
  await tx.insertInto('sessions').values(session).execute()
}

export async function findSession(db: Db, id: string): Promise<SessionRow | undefined> {
  return db
    .selectFrom('sessions')
    .select(['id', 'userId', 'deviceId', 'expiresAt', 'revokedAt'])
    .where('id', '=', id)
    .executeTakeFirst()
}

export async function findSessionByRefreshHash(tx: Tx, refreshHash: string): Promise<SessionRow | undefined> {
  return tx
    .selectFrom('sessions')
    .select(['id', 'userId', 'deviceId', 'expiresAt', 'revokedAt'])
    .where('refreshHash', '=', refreshHash)
    .forUpdate()
    .executeTakeFirst()
}

/** Whether the same user's device has a newer live session. */
export async function hasSuccessor(db: Db, { userId, deviceId }: SessionRow, at: Date): Promise<boolean> {
  const row = await db
    .selectFrom('sessions')
    .select('id')
    .where('userId', '=', userId)
    .where('deviceId', '=', deviceId)
    .where('revokedAt', 'is', null)
    .where('expiresAt', '>', at)
    .executeTakeFirst()
  return row !== undefined
}

/** Ends live sessions: all of a user, or those of one device, whoever signed in there. Answers what it ended. */
export async function revokeSessions(
  tx: Tx,
  which: { userId: string } | { id: string } | { deviceId: string },
  at: Date,
): Promise<{ id: string; userId: string }[]> {
  let query = tx.updateTable('sessions').set({ revokedAt: at }).where('revokedAt', 'is', null)
  if ('userId' in which) query = query.where('userId', '=', which.userId)
  else if ('deviceId' in which) query = query.where('deviceId', '=', which.deviceId)
  else query = query.where('id', '=', which.id)
  return query.returning(['id', 'userId']).execute()
}

/** Serialises the sign-ins of one device until the transaction ends. */
export async function lockDevice(tx: Tx, deviceId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${deviceId}, ${deviceLock}))`.execute(tx)
}

// Any constant: keeps these locks apart from others that are taken on texts.
const deviceLock = 4_102_010

/** Counts one read of a visitor's on a day (ISO date); answers how many there were with it. */
export async function countVisitorRead(db: Db, userId: string, day: string): Promise<number> {
  const { rows } = await sql<{ reads: number }>`
    insert into visitor_reads (user_id, day, reads) values (${userId}, ${day}, 1)
    on conflict (user_id) do update set day = excluded.day,
      reads = case when visitor_reads.day = excluded.day then visitor_reads.reads + 1 else 1 end
    returning reads`.execute(db)
  return rows[0]!.reads
}

/** Forgets how much a visitor has read. */
export async function deleteVisitorReads(tx: Tx, userId: string): Promise<void> {
  await tx.deleteFrom('visitorReads').where('userId', '=', userId).execute()
}

/** Deletes some sessions that expired before a time; answers how many. */
export async function deleteExpiredSessions(tx: Tx, before: Date, limit: number): Promise<number> {
  const result = await sql`
    delete from sessions where id = any(array(
      select id from sessions where expires_at < ${before} limit ${limit} for update skip locked
    ))`.execute(tx)
  return Number(result.numAffectedRows ?? 0)
}
