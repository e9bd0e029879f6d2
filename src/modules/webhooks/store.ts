import { sql, type Insertable, type Selectable, type Updateable } from 'kysely'
import type { DB } from '../../../db/tables.ts'
import type { Db, Tx } from '../../kernel/database.ts'

export type EndpointRow = Selectable<DB['webhookEndpoints']>

export async function findEndpoints(db: Db): Promise<EndpointRow[]> {
  return db.selectFrom('webhookEndpoints').selectAll().orderBy('createdAt').orderBy('id').execute()
}

export async function findEndpoint(db: Db, id: string): Promise<EndpointRow | undefined> {
  return db.selectFrom('webhookEndpoints').selectAll().where('id', '=', id).executeTakeFirst()
}

// Any constant: makes those who count endpoints wait for each other.
const countLock = 4_102_040

/** How many endpoints there are; until the transaction ends, nobody else is told. */
export async function lockEndpointCount(tx: Tx): Promise<number> {
  await sql`select pg_advisory_xact_lock(${countLock})`.execute(tx)
  const { count } = await tx
    .selectFrom('webhookEndpoints')
    .select((e) => e.fn.countAll<number>().as('count'))
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
