import { networkId } from '../../kernel/paths.ts'
import { iso } from '../../kernel/schema.ts'
import type { Role } from './schema.ts'
import type { RoleRow } from './store.ts'

export function presentRole(row: RoleRow): Role {
  return {
    _id: row.id,
    roleId: row.roleId,
    publicId: row.roleId,
    networkId,
    displayName: row.displayName,
    permissions: row.permissions,
    isDeleted: row.isDeleted,
    createdAt: iso(row.createdAt),
    updatedAt: iso(row.updatedAt),
  }
}
