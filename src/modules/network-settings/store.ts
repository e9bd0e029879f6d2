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

export async function upsertSection(tx: Tx, section: string, value: string, updatedAt: Date): Promise<void> {
  await tx
    .insertInto('networkSettings')
    .values({ section, value, updatedAt })
    .onConflict((c) => c.column('section').doUpdateSet({ value, updatedAt }))
    .execute()
}
