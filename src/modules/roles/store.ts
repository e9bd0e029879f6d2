import { sql, type Insertable, type Selectable, type Updateable } from 'kysely'
import type { DB } from '../../../db/tables.ts'
import type { Db, Tx } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import type { Cursor } from '../../kernel/paging.ts'
import { anyOf } from '../../platform/database/any-of.ts'
import { containing } from '../../platform/database/containing.ts'
import { keysetPage } from '../../platform/database/keyset.ts'
import type { QueryRolesQuery } from './schema.ts'

export type RoleRow = Selectable<DB['roles']>

/** Roles by the names under which users and memberships hold them (`roleId`). */
export async function findRoles(db: Db, roleIds: string[]): Promise<RoleRow[]> {
  return db.selectFrom('roles').selectAll().where('roleId', '=', anyOf(roleIds)).execute()
}

export async function roleExists(db: Db, roleId: string): Promise<boolean> {
  const row = await db
    .selectFrom('roles')
    .select('id')
    .where('roleId', '=', roleId)
    .where('isDeleted', '=', false)
    .executeTakeFirst()
  return row !== undefined
}

export async function findAllRoles(db: Db): Promise<RoleRow[]> {
  return db.selectFrom('roles').selectAll().where('isDeleted', '=', false).orderBy('roleId').execute()
}

/** One role, locked against changes by others until the transaction ends. */
export async function lockRole(tx: Tx, roleId: string): Promise<RoleRow | undefined> {
  return tx.selectFrom('roles').selectAll().where('roleId', '=', roleId).forUpdate().executeTakeFirst()
}

export async function insertRole(tx: Tx, role: Insertable<DB['roles']>): Promise<void> {
  await tx.insertInto('roles').values(role).execute()
}

export async function updateRole(tx: Tx, id: string, changes: Updateable<DB['roles']>): Promise<void> {
  await tx.updateTable('roles').set(changes).where('id', '=', id).execute()
}

/** A page of roles that are not deleted. */
export async function queryRoleRows(db: Db, { keyword, sortBy }: QueryRolesQuery, cursor: Cursor) {
  let roles = db
    .selectFrom('roles')
    .select(['id', 'roleId', 'createdAt', sql<string>`lower(display_name)`.as('name')])
    .where('isDeleted', '=', false)
  if (keyword) {
    const pattern = containing(keyword.toLowerCase())
    roles = roles.where((e) =>
      e.or([e(sql`lower(role_id)`, 'like', pattern), e(sql`lower(display_name)`, 'like', pattern)]),
    )
  }
  const listed = db.selectFrom(roles.as('listed')).selectAll()
  const id = { column: 'id', type: 'text' } as const
  const page =
    sortBy === 'displayName'
      ? keysetPage(listed, cursor, [{ column: 'name', type: 'text' }, id], 'asc')
      : keysetPage(
          listed,
          cursor,
          [{ column: 'createdAt', type: 'time' }, id],
          sortBy === 'firstCreated' ? 'asc' : 'desc',
        )
  return (page ?? fail('badPageToken')).execute()
}
