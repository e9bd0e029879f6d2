import { Type, type Static } from 'typebox'
import { PageQuery } from '../../kernel/paging.ts'
import { OneOf, Text, Timestamp } from '../../kernel/schema.ts'

export type FollowStatus = 'none' | 'pending' | 'accepted'

export const Follow = Type.Object({
  /** Public ids. */
  from: Type.String(),
  fromUserPublicId: Type.String(),
  fromUserInternalId: Type.String(),
  to: Type.String(),
  toUserPublicId: Type.String(),
  toUserInternalId: Type.String(),
  /** `blocked` is shown only to the one who blocked. */
  status: OneOf(['none', 'pending', 'accepted', 'blocked']),
  createdAt: Timestamp,
  updatedAt: Timestamp,
})
export type Follow = Static<typeof Follow>

export const FollowCount = Type.Object({
  userId: Type.String(),
  followerCount: Type.Integer(),
  followingCount: Type.Integer(),
  pendingCount: Type.Integer(),
})
export type FollowCount = Static<typeof FollowCount>

export const UserIdParams = Type.Object({ userId: Text(900, 1) })

const statusFilters = ['all', 'pending', 'accepted'] as const
export type StatusFilter = (typeof statusFilters)[number]

export const FollowListQuery = Type.Object({
  ...PageQuery.properties,
  token: Type.Optional(Text(100, 1)),
  status: Type.Optional(OneOf(statusFilters, { default: 'all' })),
  isDeleted: Type.Optional(Type.Boolean()),
})
export type FollowListQuery = Static<typeof FollowListQuery>

export const BlockListQuery = Type.Object({
  ...PageQuery.properties,
  isDeleted: Type.Optional(Type.Boolean()),
})
export type BlockListQuery = Static<typeof BlockListQuery>
