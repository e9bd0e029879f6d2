import type { Json } from '../../../db/tables.ts'
import type { Db, Tx } from '../../kernel/database.ts'

export async function findSection(
  db: Db,
  section: string,
): Promise<{ value: Json; updatedAt: Date } | undefined> {
  return db
    .selectFrom('networkSettings')
    .select(['value', 'updatedAt'])
    .where('section', '=', section)
    .executeTakeFirst()
}

/** Locks the row of a section until the transaction ends; one that nobody changed yet gets one. */
export async function lockSection(tx: Tx, section: string, at: Date): Promise<void> {
  await tx
    .insertInto('networkSettings')
    .values({ section, value: '{}', updatedAt: at })
    .onConflict((c) => c.column('section').doUpdateSet((e) => ({ updatedAt: e.ref('excluded.updatedAt') })))
    .execute()
}

export async function updateSection(tx: Tx, section: string, value: string, updatedAt: Date): Promise<void> {
  await tx.updateTable('networkSettings').set({ value, updatedAt }).where('section', '=', section).execute()
}
