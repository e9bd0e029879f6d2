import type { Insertable } from 'kysely'
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
