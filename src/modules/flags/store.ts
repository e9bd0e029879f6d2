import type { Insertable } from 'kysely'
import type { DB } from '../../../db/tables.ts'
import type { Db, Tx } from '../../kernel/database.ts'
import { anyOf } from '../../platform/database/any-of.ts'

/** Inserts unless this user flagged it before; answers whether it did. */
export async function insertFlag(tx: Tx, flag: Insertable<DB['flags']>): Promise<boolean> {
  const result = await tx
    .insertInto('flags')
    .values(flag)
    .onConflict((c) => c.constraint('flags_once').doNothing())
    .executeTakeFirst()
  return result.numInsertedOrUpdatedRows === 1n
}

/** Deletes one user's flag, or everyone's; answers how many there were. */
export async function deleteFlags(tx: Tx, type: string, id: string, userId?: string): Promise<number> {
  let query = tx.deleteFrom('flags').where('referenceType', '=', type).where('referenceId', '=', id)
  if (userId !== undefined) query = query.where('userId', '=', userId)
  return Number((await query.executeTakeFirst()).numDeletedRows)
}

/** Removes all flags of objects that are removed themselves. */
export async function deleteFlagsOf(tx: Tx, type: string, ids: string[]): Promise<void> {
  await tx
    .deleteFrom('flags')
    .where('referenceType', '=', type)
    .where('referenceId', '=', anyOf(ids))
    .execute()
}

export async function findFlaggers(db: Db, type: string, id: string): Promise<string[]> {
  const rows = await db
    .selectFrom('flags')
    .select('userId')
    .where('referenceType', '=', type)
    .where('referenceId', '=', id)
    .execute()
  return rows.map((row) => row.userId)
}

/** Which of the objects this user flagged. */
export async function findFlagged(db: Db, type: string, ids: string[], userId: string): Promise<Set<string>> {
  const rows = await db
    .selectFrom('flags')
    .select('referenceId')
    .where('referenceType', '=', type)
    .where('referenceId', '=', anyOf(ids))
    .where('userId', '=', userId)
    .execute()
  return new Set(rows.map((row) => row.referenceId))
}
