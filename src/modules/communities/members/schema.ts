import { Type, type Static } from 'typebox'
import { PageQuery } from '../../../kernel/paging.ts'
import { IdKind, Nullable, OneOf, StringList, Text, Timestamp } from '../../../kernel/schema.ts'

const memberships = ['none', 'member', 'banned'] as const

export const CommunityUser = Type.Object({
  userId: Type.String(),
  userPublicId: Type.String(),
  userInternalId: Type.String(),
  channelId: Type.String(),
  communityId: Type.String(),
  communityMembership: OneOf(memberships),
  notMemberReason: Nullable(Type.String()),
  isBanned: Type.Boolean(),
  isMuted: Type.Boolean(),
  muteTimeout: Nullable(Timestamp),
  roles: StringList,
  permissions: StringList,
  lastActivity: Timestamp,
  lastJoin: Nullable(Timestamp),
  createdAt: Timestamp,
  updatedAt: Timestamp,
})
export type CommunityUser = Static<typeof CommunityUser>

export const QueryMembersQuery = Type.Object({
  ...PageQuery.properties,
  memberships: Type.Optional(Type.Array(OneOf(['banned', 'member']), { minItems: 1, maxItems: 2 })),
  roles: Type.Optional(Type.Array(Text(100, 1), { minItems: 1, maxItems: 20 })),
  search: Type.Optional(Text(10_000)),
  sortBy: Type.Optional(OneOf(['firstCreated', 'lastCreated', 'displayName'], { default: 'lastCreated' })),
  isDeleted: Type.Optional(Type.Boolean()),
  type: IdKind,
})
export type QueryMembersQuery = Static<typeof QueryMembersQuery>

export const PeopleBody = Type.Object({
  userIds: Type.Array(Text(50, 1), { minItems: 1, maxItems: 100 }),
})
/** As `PeopleBody`, with the longer ids that banning is described with. */
export const BanBody = Type.Object({
  userIds: Type.Array(Text(900, 1), { minItems: 1, maxItems: 100 }),
})

// Deletions name people and roles in the query or, as the clients do, in the body.
const named = {
  userIds: Type.Optional(Type.Array(Text(50, 1), { minItems: 1, maxItems: 100 })),
}
export const NamedPeople = Type.Object(named)
export type NamedPeople = Static<typeof NamedPeople>
export const NamedRole = Type.Object({ ...named, role: Type.Optional(Text(900, 1)) })
export type NamedRole = Static<typeof NamedRole>
export const NamedRoles = Type.Object({
  ...named,
  roles: Type.Optional(Type.Array(Text(100, 1), { minItems: 1, maxItems: 100 })),
})
export type NamedRoles = Static<typeof NamedRoles>

export const AddRoleBody = Type.Object({ ...PeopleBody.properties, role: Text(100, 1) })
export const AddRolesBody = Type.Object({
  ...PeopleBody.properties,
  roles: Type.Array(Text(100, 1), { minItems: 1, maxItems: 20 }),
})

export const MyPermissions = Type.Object({ isCreator: Type.Boolean(), permissions: StringList })
