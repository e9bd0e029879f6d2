import { sql } from 'kysely'
import type { Insertable } from 'kysely'
import type { DB } from '../../../db/tables.ts'
import type { Db, Tx } from '../../kernel/database.ts'

type NewDevice = Insertable<DB['devices']>

/** Registers a device for a user; from then on it is nobody else's, and neither is its token. */
export async function upsertDevice(tx: Tx, device: NewDevice): Promise<void> {
  const { deviceId, createdAt: _, ...changes } = device
  await tx
    .deleteFrom('devices')
    .where(sql<boolean>`md5(token) = md5(${device.token})`)
    .where('token', '=', device.token)
    .where('deviceId', '!=', deviceId)
    .execute()
  await tx
    .insertInto('devices')
    .values(device)
    .onConflict((c) => c.column('deviceId').doUpdateSet(changes))
    .execute()
}

/** Forgets a user's devices but the latest ones. */
export async function deleteOldDevices(tx: Tx, userId: string, kept: number): Promise<void> {
  await sql`
    delete from devices where user_id = ${userId} and device_id in (
      select device_id from devices where user_id = ${userId} order by updated_at desc, device_id offset ${kept})`.execute(
    tx,
  )
}

/** Forgets one device of a user; answers whether there was one. */
export async function deleteDevice(tx: Tx, userId: string, deviceId: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('devices')
    .where('userId', '=', userId)
    .where('deviceId', '=', deviceId)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** Forgets the devices of a session: those registered by it, and the one it was opened on. */
export async function deleteDevicesOfSession(tx: Tx, userId: string, sessionId: string): Promise<void> {
  await sql`
    delete from devices where user_id = ${userId} and (session_id = ${sessionId}
      or device_id = (select device_id from sessions where id = ${sessionId}))`.execute(tx)
}

export async function deleteDevicesOf(tx: Tx, userId: string): Promise<void> {
  await tx.deleteFrom('devices').where('userId', '=', userId).execute()
}

/** Forgets a device whose token its push service no longer knows, unless it has another by now. */
export async function deleteDeadDevice(db: Db, deviceId: string, token: string): Promise<void> {
  await db.deleteFrom('devices').where('deviceId', '=', deviceId).where('token', '=', token).execute()
}
