import { sql, type Insertable, type Selectable, type Updateable } from 'kysely'
import type { DB } from '../../../db/tables.ts'
import type { Db, Tx } from '../../kernel/database.ts'

export type EndpointRow = Selectable<DB['webhookEndpoints']>

export async function findEndpoints(db: Db): Promise<EndpointRow[]> {
  return db.selectFrom('webhookEndpoints').selectAll().orderBy('createdAt').orderBy('id').execute()
}

export async function findWebhooks(db: Db): Promise<EndpointRow[]> {
  return (await findEndpoints(db)).filter(({ kind }) => kind === 'webhook')
}

export async function findWebhook(db: Db, id: string): Promise<EndpointRow | undefined> {
  return db
    .selectFrom('webhookEndpoints')
    .selectAll()
    .where('id', '=', id)
    .where('kind', '=', 'webhook')
    .executeTakeFirst()
}

/** The pre-hook of the network settings. */
export async function findPrehook(db: Db): Promise<EndpointRow | undefined> {
  return db.selectFrom('webhookEndpoints').selectAll().where('kind', '=', 'prehook').executeTakeFirst()
}

// Any constant.
const countLock = 4_102_040

/** Makes those who make endpoints wait for each other. */
export async function lockEndpoints(tx: Tx): Promise<void> {
  await sql`select pg_advisory_xact_lock(${countLock})`.execute(tx)
}

/** How many webhooks there are; until the transaction ends, nobody else is told. */
export async function lockWebhookCount(tx: Tx): Promise<number> {
  await lockEndpoints(tx)
  const { count } = await tx
    .selectFrom('webhookEndpoints')
    .select((e) => e.fn.countAll<number>().as('count'))
    .where('kind', '=', 'webhook')
    .executeTakeFirstOrThrow()
  return count
}

export async function insertEndpoint(tx: Tx, row: Insertable<DB['webhookEndpoints']>): Promise<EndpointRow> {
  return tx.insertInto('webhookEndpoints').values(row).returningAll().executeTakeFirstOrThrow()
}

export async function updateEndpoint(
  tx: Tx,
  id: string,
  changes: Updateable<DB['webhookEndpoints']>,
): Promise<EndpointRow | undefined> {
  return tx
    .updateTable('webhookEndpoints')
    .set(changes)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst()
}

/** Answers whether there was one. */
export async function deleteEndpoint(tx: Tx, id: string): Promise<boolean> {
  const { numDeletedRows } = await tx.deleteFrom('webhookEndpoints').where('id', '=', id).executeTakeFirst()
  return numDeletedRows > 0n
}
