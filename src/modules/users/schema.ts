import { Type, type Static } from 'typebox'
import { PageQuery } from '../../kernel/paging.ts'
import {
  HashFlag,
  IdKind,
  Metadata,
  Nullable,
  OneOf,
  StringList,
  Text,
  Timestamp,
} from '../../kernel/schema.ts'

/** The short form, in webhooks. */
export const UserShort = Type.Object({
  _id: Type.String(),
  userId: Type.String(),
  path: Type.String(),
  displayName: Nullable(Type.String()),
  roles: StringList,
  flagCount: Type.Integer(),
  hashFlag: HashFlag,
  metadata: Metadata,
  isDeleted: Type.Boolean(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
})
export type UserShort = Static<typeof UserShort>

/** The full form, everywhere else. */
export const User = Type.Object({
  ...UserShort.properties,
  userInternalId: Type.String(),
  userPublicId: Type.String(),
  profileHandle: Nullable(Type.String()),
  description: Type.String(),
  avatarFileId: Nullable(Type.String()),
  avatarCustomUrl: Nullable(Type.String()),
  permissions: StringList,
  tags: StringList,
  isGlobalBan: Type.Boolean(),
  isBrand: Type.Boolean(),
  deletedAt: Nullable(Timestamp),
})
export type User = Static<typeof User>

export const UserIdParams = Type.Object({ userId: Text(900, 1) })
export const UserIdQuery = Type.Object({ type: IdKind })

export const ListUsersQuery = Type.Object({
  userIds: Type.Array(Text(900, 1), { minItems: 1, maxItems: 100 }),
  type: IdKind,
})

export const QueryUsersQuery = Type.Object({
  ...PageQuery.properties,
  keyword: Type.Optional(Text(100)),
  displayName: Type.Optional(Text(100)),
  exactMatchKeyword: Type.Optional(Type.Boolean({ default: false })),
  matchType: Type.Optional(OneOf(['default', 'partial'])),
  filter: Type.Optional(OneOf(['all', 'flagged'], { default: 'all' })),
  sortBy: Type.Optional(OneOf(['firstCreated', 'lastCreated', 'displayName'], { default: 'displayName' })),
  isDeleted: Type.Boolean({ default: false }),
})
export type QueryUsersQuery = Static<typeof QueryUsersQuery>

export const UpdateUserBody = Type.Object({
  userId: Type.Optional(Text(50, 1)),
  displayName: Type.Optional(Text(100)),
  profileHandle: Type.Optional(Nullable(Text(100, 1))),
  description: Type.Optional(Text(500)),
  avatarFileId: Type.Optional(Nullable(Text(50))),
  avatarCustomUrl: Type.Optional(Nullable(Text(1000))),
  metadata: Type.Optional(Metadata),
  roles: Type.Optional(Type.Array(Text(100, 1), { maxItems: 10 })),
  tags: Type.Optional(Type.Array(Text(100, 1), { maxItems: 10 })),
  createNewUserWhenNotFound: Type.Optional(Type.Boolean()),
})
export type UpdateUserBody = Static<typeof UpdateUserBody>

export const BanBody = Type.Object({ userId: Text(900, 1) })
export const DeleteUserParams = Type.Object({ userId: Text(50, 1) })
export const DeleteUserQuery = Type.Object({
  deleteAll: Type.Boolean({ default: false }),
  markMessageDeleted: Type.Boolean({ default: false }),
  hardDeletePost: Type.Boolean({ default: false }),
  hardDeleteComment: Type.Boolean({ default: false }),
})
