import { Type, type Static } from 'typebox'
import { PageQuery } from '../../kernel/paging.ts'
import { IdKind, Metadata, Nullable, OneOf, StringList, Text, Timestamp } from '../../kernel/schema.ts'

const notificationModes = ['default', 'silent', 'subscribe'] as const

export const Community = Type.Object({
  communityId: Type.String(),
  _id: Type.String(),
  path: Type.String(),
  channelId: Type.String(),
  userId: Type.String(),
  userPublicId: Type.String(),
  userInternalId: Type.String(),
  type: OneOf(['default', 'event']),
  eventId: Nullable(Type.String()),
  displayName: Type.String(),
  description: Type.String(),
  avatarFileId: Nullable(Type.String()),
  isOfficial: Type.Boolean(),
  isPublic: Type.Boolean(),
  isDiscoverable: Type.Boolean(),
  requiresJoinApproval: Type.Boolean(),
  onlyAdminCanPost: Type.Boolean(),
  needApprovalOnPostCreation: Type.Boolean(),
  allowCommentInStory: Type.Boolean(),
  notificationMode: OneOf(notificationModes),
  // Personal, so absent from events: a client would take another's answer for its own.
  isJoined: Type.Optional(Type.Boolean()),
  tags: StringList,
  categoryIds: StringList,
  metadata: Metadata,
  postsCount: Type.Integer(),
  membersCount: Type.Integer(),
  moderatorMemberCount: Type.Integer(),
  hasFlaggedPost: Type.Boolean(),
  hasFlaggedComment: Type.Boolean(),
  isDeleted: Type.Boolean(),
  deletedAt: Nullable(Timestamp),
  createdAt: Timestamp,
  updatedAt: Timestamp,
})
export type Community = Static<typeof Community>

export const CommunityIdParams = Type.Object({ communityId: Text(900, 1) })
/** A community's public and internal ids are the same, so both kinds name it. */
export const CommunityIdQuery = Type.Object({ type: IdKind })

export const ListCommunitiesQuery = Type.Object({
  communityIds: Type.Array(Text(50), { minItems: 1, maxItems: 100 }),
  type: IdKind,
})

// What creation and update share. Empty lists mean "none"; clients send them.
const settings = {
  isPublic: Type.Optional(Type.Boolean()),
  isOfficial: Type.Optional(Type.Boolean()),
  isDiscoverable: Type.Optional(Type.Boolean()),
  requiresJoinApproval: Type.Optional(Type.Boolean()),
  onlyAdminCanPost: Type.Optional(Type.Boolean()),
  needApprovalOnPostCreation: Type.Optional(Type.Boolean()),
  allowCommentInStory: Type.Optional(Type.Boolean()),
  notificationMode: Type.Optional(OneOf(notificationModes)),
  description: Type.Optional(Text(5000)),
  tags: Type.Optional(Type.Array(Text(100, 1), { maxItems: 10 })),
  categoryIds: Type.Optional(Type.Array(Text(50, 1), { maxItems: 10 })),
  metadata: Type.Optional(Metadata),
  avatarFileId: Type.Optional(Nullable(Text(50, 1))),
  isUniqueDisplayName: Type.Optional(Type.Boolean()),
}

export const CreateCommunityBody = Type.Object({
  ...settings,
  displayName: Text(1000, 1),
  userIds: Type.Optional(Type.Array(Text(900, 1), { maxItems: 1000 })),
})
export type CreateCommunityBody = Static<typeof CreateCommunityBody>

export const UpdateCommunityBody = Type.Object({ ...settings, displayName: Type.Optional(Text(1000, 1)) })
export type UpdateCommunityBody = Static<typeof UpdateCommunityBody>

const membershipFilter = Type.Optional(OneOf(['all', 'member', 'notMember']))

// Clients send several filters under two names; the second is what the description calls them.
export const QueryCommunitiesQuery = Type.Object({
  ...PageQuery.properties,
  keyword: Type.Optional(Text(100)),
  displayName: Type.Optional(Text(1000)),
  filter: membershipFilter,
  membership: membershipFilter,
  tags: Type.Optional(Type.Array(Text(1000, 1), { maxItems: 10 })),
  categoryId: Type.Optional(Text(50, 1)),
  sortBy: Type.Optional(OneOf(['firstCreated', 'lastCreated', 'displayName'], { default: 'lastCreated' })),
  isDeleted: Type.Optional(Type.Boolean()),
  includeDeleted: Type.Optional(Type.Boolean()),
  hasFlag: Type.Optional(Type.Boolean()),
  includeDiscoverablePrivateCommunity: Type.Optional(Type.Boolean({ default: false })),
})
export type QueryCommunitiesQuery = Static<typeof QueryCommunitiesQuery>

export const RankedCommunitiesQuery = Type.Object({
  options: Type.Optional(Type.Object({ limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })) })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
  includeDiscoverablePrivateCommunity: Type.Optional(Type.Boolean({ default: false })),
})
export type RankedCommunitiesQuery = Static<typeof RankedCommunitiesQuery>
