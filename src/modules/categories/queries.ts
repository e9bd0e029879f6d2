import type { Db } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import { cutPage, parsePage, type Page } from '../../kernel/paging.ts'
import type { QueryCategoriesQuery } from './schema.ts'
import { findCategories, queryCategoryRows } from './store.ts'

/** Fails with `notFound` unless all are categories that exist. */
export async function requireCategories(db: Db, ids: string[]): Promise<void> {
  if (ids.length === 0) return
  const found = new Set((await findCategories(db, ids)).filter((row) => !row.isDeleted).map((row) => row.id))
  const missing = ids.filter((id) => !found.has(id))
  if (missing.length > 0) fail('notFound', `no such category: ${missing.join(', ')}`)
}

export async function queryCategories(db: Db, query: QueryCategoriesQuery): Promise<Page<{ id: string }>> {
  const cursor = parsePage(query)
  const byTime = query.sortBy === 'firstCreated' || query.sortBy === 'lastCreated'
  return cutPage(await queryCategoryRows(db, query, cursor), cursor, (row) =>
    byTime ? [row.createdAt.getTime(), row.id] : [row.id],
  )
}

/** A category, deleted or not. Fails with `notFound`. */
export async function requireCategory(db: Db, id: string): Promise<string> {
  const [category] = await findCategories(db, [id])
  return category?.id ?? fail('notFound')
}
