import type { Selectable } from 'kysely'
import type { DB } from '../../../db/tables.ts'
import type { Db } from '../../kernel/database.ts'
import { anyOf } from '../../platform/database/any-of.ts'

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
