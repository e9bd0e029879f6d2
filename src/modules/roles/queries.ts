import type { Db } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import { cutPage, parsePage, type Page } from '../../kernel/paging.ts'
import type { QueryRolesQuery } from './schema.ts'
import { findRoles, queryRoleRows } from './store.ts'

export async function queryRoles(db: Db, query: QueryRolesQuery): Promise<Page<{ roleId: string }>> {
  const cursor = parsePage(query)
  const rows = await queryRoleRows(db, query, cursor)
  return cutPage(rows, cursor, (row) => [
    query.sortBy === 'displayName' ? row.name : row.createdAt.getTime(),
    row.id,
  ])
}

/** Fails with `notFound` for a role that is not, or is no more. */
export async function requireRole(db: Db, roleId: string): Promise<string> {
  const [role] = await findRoles(db, [roleId])
  return role && !role.isDeleted ? role.roleId : fail('notFound')
}

export { findAllRoles, findRoles } from './store.ts'
