import { sql } from 'kysely'
import type { Db, Tx } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import type { Cursor } from '../../kernel/paging.ts'
import { keysetPage } from '../../platform/database/keyset.ts'
import type { Attempt } from './store.ts'

/** A delivery as the log shows it. */
export interface DeliveryRow {
  seq: number
  webhookId: string
  messageId: string
  name: string
  state: 'pending' | 'delivered' | 'dead'
  attempts: number
  dueAt: Date
  attemptLog: Attempt[]
  finishedAt: Date | null
  createdAt: Date
}

export interface DeliveryFilter {
  state?: DeliveryRow['state'] | undefined
  /** An event name. */
  event?: string | undefined
}

export interface ReplayFilter {
  event?: string | undefined
  from?: Date | undefined
  to?: Date | undefined
}

const deliveries = (db: Db) =>
  db
    .selectFrom('webhookDeliveries')
    .innerJoin('webhookMessages', 'webhookMessages.id', 'webhookDeliveries.messageId')
    .select([
      'seq',
      'webhookId',
      'messageId',
      'name',
      'state',
      'attempts',
      'dueAt',
      'attemptLog',
      'finishedAt',
      'webhookDeliveries.createdAt',
    ])

export async function listDeliveries(
  db: Db,
  webhookId: string,
  { state, event }: DeliveryFilter,
  cursor: Cursor,
): Promise<DeliveryRow[]> {
  let query = deliveries(db).where('webhookId', '=', webhookId)
  if (state !== undefined) query = query.where('state', '=', state)
  if (event !== undefined) query = query.where('name', '=', event)
  const page = keysetPage(query, cursor, [{ column: 'seq', type: 'integer' }], 'desc')
  return (await (page ?? fail('badPageToken')).execute()) as unknown as DeliveryRow[]
}

export async function findDelivery(
  db: Db,
  webhookId: string,
  messageId: string,
): Promise<DeliveryRow | undefined> {
  const row = await deliveries(db)
    .where('webhookId', '=', webhookId)
    .where('messageId', '=', messageId)
    .executeTakeFirst()
  return row as unknown as DeliveryRow | undefined
}

export async function findMessageBody(db: Db, messageId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('webhookMessages')
    .select('body')
    .where('id', '=', messageId)
    .executeTakeFirst()
  return row?.body
}

const anew = { state: 'pending', attempts: 0, firstFailedAt: null, finishedAt: null }

/** Makes a delivery due as if it had never been tried. One that is being sent at the moment stays as it is. */
export async function replayDelivery(
  tx: Tx,
  webhookId: string,
  messageId: string,
  at: Date,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('webhookDeliveries')
    .set({ ...anew, dueAt: at })
    .where('webhookId', '=', webhookId)
    .where('messageId', '=', messageId)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export async function replayDead(
  tx: Tx,
  webhookId: string,
  { event, from, to }: ReplayFilter,
  at: Date,
): Promise<number> {
  let query = tx
    .updateTable('webhookDeliveries')
    .set({ ...anew, dueAt: at })
    .where('webhookId', '=', webhookId)
    .where('state', '=', 'dead')
  if (from !== undefined) query = query.where('createdAt', '>=', from)
  if (to !== undefined) query = query.where('createdAt', '<=', to)
  if (event !== undefined)
    query = query.where(
      sql<boolean>`exists (select from webhook_messages m where m.id = message_id and m.name = ${event})`,
    )
  const { numUpdatedRows } = await query.executeTakeFirst()
  return Number(numUpdatedRows)
}

/** How many deliveries wait and how many were given up, for all endpoints; both up to a limit. */
export async function countDeliveries(db: Db, limit: number): Promise<{ waiting: number; dead: number }> {
  const { rows } = await sql<{ waiting: number; dead: number }>`
    select
      (select count(*) from (select from webhook_deliveries where state = 'pending' limit ${limit}) pending) as waiting,
      (select count(*) from (select from webhook_deliveries where state = 'dead' limit ${limit}) dead) as dead
    `.execute(db)
  return rows[0]!
}
