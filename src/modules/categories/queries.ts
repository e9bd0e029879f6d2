import type { Db } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import { findCategories } from './store.ts'

/** Fails with `notFound` unless all are categories that exist. */
export async function requireCategories(db: Db, ids: string[]): Promise<void> {
  if (ids.length === 0) return
  const found = new Set((await findCategories(db, ids)).filter((row) => !row.isDeleted).map((row) => row.id))
  const missing = ids.filter((id) => !found.has(id))
  if (missing.length > 0) fail('notFound', `no such category: ${missing.join(', ')}`)
}
