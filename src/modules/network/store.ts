import { sql } from 'kysely'
import type { Db, Tx } from '../../kernel/database.ts'

export type KeyKind = 'api' | 'server'

export async function findKeys(db: Db, kind: KeyKind): Promise<string[]> {
  const rows = await db
    .selectFrom('networkKeys')
    .select('key')
    .where('kind', '=', kind)
    .orderBy('createdAt')
    .execute()
  return rows.map((row) => row.key)
}

export async function insertKey(tx: Tx, key: string, kind: KeyKind, createdAt: Date): Promise<void> {
  await tx
    .insertInto('networkKeys')
    .values({ key, kind, createdAt })
    .onConflict((c) => c.doNothing())
    .execute()
}

export async function findSigningKeys(db: Db) {
  return db
    .selectFrom('signingKeys')
    .selectAll()
    .where('retiredAt', 'is', null)
    .orderBy('createdAt', 'desc')
    .orderBy('keyId', 'desc')
    .execute()
}

export interface NewSigningKey {
  keyId: string
  algorithm: string
  privateJwk: string
  publicJwk: string
  createdAt: Date
}

export async function insertSigningKey(tx: Tx, key: NewSigningKey): Promise<void> {
  await tx.insertInto('signingKeys').values(key).execute()
}

/** Serialises first starts of several nodes. */
export async function lockNetwork(tx: Tx): Promise<void> {
  await sql`lock table network_keys in share row exclusive mode`.execute(tx)
}

/** Retires every key but one; answers how many there were. */
export async function retireOlderKeys(tx: Tx, newestId: string, at: Date): Promise<number> {
  const result = await tx
    .updateTable('signingKeys')
    .set({ retiredAt: at })
    .where('keyId', '!=', newestId)
    .where('retiredAt', 'is', null)
    .executeTakeFirst()
  return Number(result.numUpdatedRows)
}
