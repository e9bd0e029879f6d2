import type { Db } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import { cutPage, parsePage, type Page } from '../../kernel/paging.ts'
import { findInternalIds, findUsersById, queryUserRows } from './store.ts'
import type { QueryUsersQuery } from './schema.ts'

/** The internal id of a user named in a path. Fails with `notFound`. */
export async function resolveUserId(
  db: Db,
  userId: string,
  kind: 'public' | 'internal' = 'public',
): Promise<string> {
  const [id] =
    kind === 'internal'
      ? (await findUsersById(db, [userId])).map((row) => row.id)
      : await findInternalIds(db, [userId])
  return id ?? fail('notFound')
}

/** Internal ids in the order asked; unknown users are left out. */
export async function resolveUserIds(
  db: Db,
  userIds: string[],
  kind: 'public' | 'internal' = 'public',
): Promise<string[]> {
  return kind === 'internal' ? userIds : findInternalIds(db, userIds)
}

export async function queryUsers(db: Db, query: QueryUsersQuery): Promise<Page<{ id: string }>> {
  const cursor = parsePage(query)
  const rows = await queryUserRows(db, query, cursor)
  const byName = query.sortBy === 'displayName' || query.sortBy === undefined
  return cutPage(rows, cursor, (row) => [byName ? row.name : row.createdAt.getTime(), row.id])
}

export { findUsersById } from './store.ts'
