import type { Selectable } from 'kysely'
import type { DB } from '../../../db/tables.ts'
import type { Db } from '../../kernel/database.ts'
import { anyOf } from '../../platform/database/any-of.ts'

export type CategoryRow = Selectable<DB['categories']>

export async function findCategories(db: Db, ids: string[]): Promise<CategoryRow[]> {
  return db.selectFrom('categories').selectAll().where('id', '=', anyOf(ids)).execute()
}
