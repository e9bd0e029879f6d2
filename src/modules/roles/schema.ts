import { Type, type Static } from 'typebox'
import { permissions } from '../../kernel/permissions.ts'
import { PageQuery } from '../../kernel/paging.ts'
import { OneOf, StringList, Text, Timestamp } from '../../kernel/schema.ts'

export const Role = Type.Object({
  _id: Type.String(),
  roleId: Type.String(),
  publicId: Type.String(),
  networkId: Type.String(),
  displayName: Type.String(),
  permissions: StringList,
  isDeleted: Type.Boolean(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
})
export type Role = Static<typeof Role>

const Permissions = Type.Array(OneOf(permissions), { maxItems: 100 })

export const RoleIdParams = Type.Object({ roleId: Text(100, 1) })
export const RoleBody = Type.Object({
  roleId: Text(100, 1),
  displayName: Type.Optional(Text(100)),
  permissions: Permissions,
})
export type RoleBody = Static<typeof RoleBody>
export const ChangeRoleBody = Type.Object({ ...RoleBody.properties, roleId: Type.Optional(Text(100, 1)) })
export const ChangeRolesBody = Type.Object({
  publicIds: Type.Array(Text(100, 1), { minItems: 1, maxItems: 100 }),
  permissions: Permissions,
})

export const QueryRolesQuery = Type.Object({
  ...PageQuery.properties,
  keyword: Type.Optional(Text(100)),
  sortBy: OneOf(['lastCreated', 'firstCreated', 'displayName'], { default: 'lastCreated' }),
})
export type QueryRolesQuery = Static<typeof QueryRolesQuery>
