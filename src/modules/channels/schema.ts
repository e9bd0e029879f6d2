import { Type, type Static } from 'typebox'
import { PageQuery } from '../../kernel/paging.ts'
import { Metadata, Nullable, OneOf, StringList, Text, Timestamp } from '../../kernel/schema.ts'

export const channelTypes = ['community', 'live', 'broadcast', 'conversation'] as const
export type ChannelType = (typeof channelTypes)[number]
const notificationModes = ['default', 'silent', 'subscribe'] as const
export const memberships = ['none', 'member', 'banned'] as const
/** The role of those who moderate one channel; it is counted. */
export const moderatorRole = 'channel-moderator'

const AttachedTo = Type.Object({
  postId: Type.Optional(Type.String()),
  videoStreamId: Type.Optional(Type.String()),
  roomId: Type.Optional(Type.String()),
})

/** What every form of a channel holds. */
const channelFields = {
  channelId: Type.String(),
  _id: Type.String(),
  path: Type.String(),
  type: OneOf(channelTypes),
  displayName: Nullable(Type.String()),
  isDistinct: Type.Boolean(),
  isMuted: Type.Boolean(),
  isRateLimited: Type.Boolean(),
  messageAutoDeleteEnabled: Type.Boolean(),
  autoDeleteMessageByFlagLimit: Type.Integer(),
  metadata: Metadata,
  tags: StringList,
  rateLimit: Type.Integer(),
  rateLimitWindow: Type.Integer(),
  memberCount: Type.Integer(),
  moderatorMemberCount: Type.Integer(),
  messageCount: Type.Integer(),
  notificationMode: OneOf(notificationModes),
  muteTimeout: Nullable(Timestamp),
  rateLimitTimeout: Nullable(Timestamp),
  lastActivity: Timestamp,
  createdAt: Timestamp,
  updatedAt: Timestamp,
}

export const Channel = Type.Object({
  ...channelFields,
  channelInternalId: Type.String(),
  channelPublicId: Type.String(),
  avatarFileId: Nullable(Type.String()),
  messagePreviewId: Nullable(Type.String()),
  isPublic: Type.Boolean(),
  isClosed: Type.Boolean(),
  isDeleted: Type.Boolean(),
  deletedAt: Nullable(Timestamp),
  attachedTo: AttachedTo,
})
export type Channel = Static<typeof Channel>

/** The webhook form; `avatar` (the file itself) is put in its place beside it. */
export const ChannelInWebhook = Type.Object({ ...channelFields, avatarFileId: Nullable(Type.String()) })
export type ChannelInWebhook = Static<typeof ChannelInWebhook>

export const ChannelUser = Type.Object({
  userId: Type.String(),
  userInternalId: Type.String(),
  userPublicId: Type.String(),
  channelId: Type.String(),
  channelInternalId: Type.String(),
  channelPublicId: Type.String(),
  membership: OneOf(memberships),
  isBanned: Type.Boolean(),
  isMuted: Type.Boolean(),
  roles: StringList,
  permissions: StringList,
  readToSegment: Type.Integer(),
  lastMentionedSegment: Type.Integer(),
  lastActivity: Timestamp,
  muteTimeout: Nullable(Timestamp),
  createdAt: Timestamp,
  updatedAt: Timestamp,
})
export type ChannelUser = Static<typeof ChannelUser>

const ChannelTags = Type.Array(Text(100), { maxItems: 10 })
const UserIds = (maxItems: number, minItems = 1) => Type.Array(Text(50, 1), { minItems, maxItems })

/** What creation and update share. */
const editable = {
  displayName: Type.Optional(Text(100)),
  avatarFileId: Type.Optional(Nullable(Text(50))),
  metadata: Type.Optional(Metadata),
  tags: Type.Optional(ChannelTags),
}
const moderation = {
  messageAutoDeleteEnabled: Type.Optional(Type.Boolean()),
  autoDeleteMessageByFlagLimit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000 })),
  notificationMode: Type.Optional(OneOf(notificationModes)),
}

export const CreateChannelBody = Type.Object({
  ...editable,
  ...moderation,
  channelId: Type.Optional(Text(100, 1)),
  type: Type.Optional(OneOf(['community', 'live', 'broadcast'], { default: 'community' })),
  userIds: Type.Optional(UserIds(1000, 0)),
  isMuted: Type.Optional(Type.Boolean()),
  isPublic: Type.Optional(Type.Boolean()),
  videoStreamId: Type.Optional(Text(50, 1)),
  postId: Type.Optional(Text(50, 1)),
  roomId: Type.Optional(Text(50, 1)),
})
export type CreateChannelBody = Static<typeof CreateChannelBody>

export const CreateConversationBody = Type.Object({
  ...editable,
  userIds: UserIds(10),
  isDistinct: Type.Optional(Type.Boolean({ default: true })),
})
export type CreateConversationBody = Static<typeof CreateConversationBody>

export const UpdateChannelBody = Type.Object({ ...editable, ...moderation })
export type UpdateChannelBody = Static<typeof UpdateChannelBody>

export const ChannelIdParams = Type.Object({ channelId: Text(900, 1) })

/** SDKs ask for at most 10, the interface shows ids of at most 100 characters. */
export const ListChannelsQuery = Type.Object({
  channelIds: Type.Array(Text(100, 1), { minItems: 1, maxItems: 100 }),
})

export const QueryChannelsQuery = Type.Object({
  ...PageQuery.properties,
  keyword: Type.Optional(Text(100)),
  displayName: Type.Optional(Text(100)),
  isDeleted: Type.Optional(Type.Boolean()),
  tags: Type.Optional(ChannelTags),
  excludeTags: Type.Optional(ChannelTags),
  filter: Type.Optional(OneOf(['all', 'member', 'notMember', 'flagged'], { default: 'all' })),
  membership: Type.Optional(OneOf(['all', 'member', 'notMember', 'flagged'])),
  types: Type.Optional(Type.Array(OneOf([...channelTypes, 'standard', 'private']), { maxItems: 10 })),
  userId: Type.Optional(Text(100, 1)),
  excludeArchives: Type.Optional(Type.Boolean()),
  isArchived: Type.Optional(Type.Boolean()),
  sortBy: Type.Optional(
    OneOf(['lastActivity', 'lastCreated', 'firstCreated', 'displayName'], { default: 'lastActivity' }),
  ),
})
export type QueryChannelsQuery = Static<typeof QueryChannelsQuery>

export const MembersBody = Type.Object({ userIds: UserIds(100) })
/** Removal names users in the body as the clients send it, or in the query as it is described. */
export const MembersQuery = Type.Partial(MembersBody)
export const RoleBody = Type.Object({ userIds: UserIds(100), role: Text(100, 1) })
export const RoleQuery = Type.Partial(RoleBody)

const memberPage = {
  ...PageQuery.properties,
  roles: Type.Optional(Type.Array(Text(900, 1), { minItems: 1, maxItems: 20 })),
  sortBy: Type.Optional(OneOf(['lastCreated', 'firstCreated'], { default: 'lastCreated' })),
  isDeleted: Type.Optional(Type.Boolean()),
}
export const QueryMembersQuery = Type.Object({
  ...memberPage,
  filter: Type.Optional(OneOf(['all', 'muted', 'banned', 'member&banned'], { default: 'all' })),
})
export type QueryMembersQuery = Static<typeof QueryMembersQuery>

export const QueryMembersV4Query = Type.Object({
  ...memberPage,
  role: memberPage.roles,
  memberships: Type.Optional(
    Type.Array(OneOf(['member', 'muted', 'banned']), { minItems: 1, maxItems: 3, default: ['member'] }),
  ),
  search: Type.Optional(Text(10_000)),
})
export type QueryMembersV4Query = Static<typeof QueryMembersV4Query>

/** Milliseconds; -1 for ever, 0 to end it. */
const Period = Type.Number({ minimum: -1, maximum: 1e15 })
export const MuteChannelBody = Type.Object({ mutePeriod: Period })
export const MuteMembersBody = Type.Object({ userIds: UserIds(100), mutePeriod: Period })

export const RateLimitBody = Type.Object({
  period: Period,
  rateLimit: Type.Optional(Type.Integer({ minimum: 0, maximum: 1000 })),
  rateLimitWindow: Type.Optional(Type.Integer({ minimum: 0, maximum: 86_400_000 })),
})
export type RateLimitBody = Static<typeof RateLimitBody>

export const SearchChannelsQuery = Type.Object({
  query: Text(100, 1),
  exactMatch: Type.Optional(Type.Boolean({ default: false })),
  isMemberOnly: Type.Optional(Type.Boolean({ default: false })),
  types: Type.Optional(Type.Array(OneOf(channelTypes), { maxItems: 10 })),
  tags: Type.Optional(ChannelTags),
  options: Type.Optional(
    Type.Object({
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 20 })),
      orderBy: Type.Optional(OneOf(['desc', 'asc'], { default: 'desc' })),
      sortBy: Type.Optional(OneOf(['lastActivity', 'relevance'], { default: 'relevance' })),
      token: Type.Optional(Text(100, 1)),
    }),
  ),
})
export type SearchChannelsQuery = Static<typeof SearchChannelsQuery>

/** Beside the channels of a search. */
export const SearchExtra = {
  totalCount: Type.Integer(),
  search: Type.Object({
    query: Type.String(),
    limit: Type.Integer(),
    sortBy: Type.String(),
    orderBy: Type.String(),
  }),
}
