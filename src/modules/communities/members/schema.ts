import { Type, type Static } from 'typebox'
import { Nullable, OneOf, StringList, Timestamp } from '../../../kernel/schema.ts'

export const memberships = ['none', 'member', 'banned'] as const

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
