import { byId, slot, type Resource } from '../../kernel/envelope/resource.ts'
import { presentRole } from './present.ts'
import { Role } from './schema.ts'
import { findRoles, type RoleRow } from './store.ts'

/** Roles, by the names that users and memberships hold. */
const roleResource: Resource<RoleRow> = {
  name: 'roles',
  load: async ({ db }, roleIds) => byId(await findRoles(db, roleIds), (row) => row.roleId),
  references: () => ({}),
}

export const roleSlots = { roles: slot(roleResource, Role, presentRole) }
