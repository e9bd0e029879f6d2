import { sql, type Insertable, type Selectable, type Updateable } from 'kysely'
import type { DB } from '../../../db/tables.ts'
import type { Db, Tx } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import type { Cursor } from '../../kernel/paging.ts'
import { anyOf } from '../../platform/database/any-of.ts'
import { keysetPage } from '../../platform/database/keyset.ts'
import type { QueryCategoriesQuery } from './schema.ts'

export type CategoryRow = Selectable<DB['categories']>

export async function findCategories(db: Db, ids: string[]): Promise<CategoryRow[]> {
  return db.selectFrom('categories').selectAll().where('id', '=', anyOf(ids)).execute()
}

export async function insertCategory(tx: Tx, category: Insertable<DB['categories']>): Promise<void> {
  await tx.insertInto('categories').values(category).execute()
}

/** Changes a category that is not deleted; answers whether there was one. */
export async function updateCategoryRow(
  tx: Tx,
  id: string,
  changes: Updateable<DB['categories']>,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('categories')
    .set(changes)
    .where('id', '=', id)
    .where('isDeleted', '=', false)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** A page of categories. Sorted by name, the page key is the category's id alone; by time, time and id. */
export async function queryCategoryRows(
  db: Db,
  { sortBy, isDeleted }: QueryCategoriesQuery,
  cursor: Cursor,
): Promise<{ id: string; createdAt: Date }[]> {
  let rows = db.selectFrom('categories').select(['id', 'createdAt', sql<string>`lower(name)`.as('sortName')])
  if (isDeleted !== undefined) rows = rows.where('isDeleted', '=', isDeleted)
  const listed = db.selectFrom(rows.as('listed')).select(['id', 'createdAt'])
  const page =
    sortBy === 'firstCreated' || sortBy === 'lastCreated'
      ? keysetPage(
          listed,
          cursor,
          [
            { column: 'createdAt', type: 'time' },
            { column: 'id', type: 'text' },
          ],
          sortBy === 'firstCreated' ? 'asc' : 'desc',
        )
      : keysetPage(
          listed,
          cursor,
          [
            {
              column: 'sortName',
              type: 'text',
              of: (id) => sql`(select lower(name) from categories where id = ${id})`,
            },
            { column: 'id', type: 'text' },
          ],
          'asc',
        )
  return (page ?? fail('badPageToken')).execute()
}
