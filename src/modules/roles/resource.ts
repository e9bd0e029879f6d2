import { cachedResource } from '../../kernel/envelope/cached-resource.ts'
import { byId, slot, type Resource } from '../../kernel/envelope/resource.ts'
import { presentRole } from './present.ts'
import { Role } from './schema.ts'
import { findRoles, type RoleRow } from './store.ts'
import { roleRowTopic } from './topics.ts'

/** Roles, by the names that users and memberships hold. */
const roleResource: Resource<RoleRow> = cachedResource(
  {
    name: 'roles',
    load: async (db, roleIds) => byId(await findRoles(db, roleIds), (row) => row.roleId),
    references: () => ({}),
  },
  roleRowTopic,
  1000,
)

export const roleSlots = { roles: slot(roleResource, Role, presentRole) }
