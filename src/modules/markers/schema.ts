import { Type, type Static } from 'typebox'
import { PageQuery } from '../../kernel/paging.ts'
import { OneOf, Text, Timestamp } from '../../kernel/schema.ts'

// Users and channels are named by internal ids in markers, messages by the id shown.

const times = { createdAt: Timestamp, updatedAt: Timestamp }

/** All that a user has before them. */
export const UserMarker = Type.Object({
  userId: Type.String(),
  unreadCount: Type.Integer(),
  isMentioned: Type.Boolean(),
  lastSyncAt: Timestamp,
  ...times,
})
export type UserMarker = Static<typeof UserMarker>

/** What a user has before them in a channel. */
export const UserEntityMarker = Type.Object({
  userId: Type.String(),
  entityId: Type.String(),
  unreadCount: Type.Integer(),
  isMentioned: Type.Boolean(),
  isDeleted: Type.Boolean(),
  membership: OneOf(['member', 'banned', 'muted', 'non-member', 'deleted']),
  ...times,
})
export type UserEntityMarker = Static<typeof UserEntityMarker>

/** How far a user is in a message feed. */
export const UserFeedMarker = Type.Object({
  userId: Type.String(),
  entityId: Type.String(),
  feedId: Type.String(),
  readToSegment: Type.Integer(),
  deliveredToSegment: Type.Integer(),
  unreadCount: Type.Integer(),
  oldUnreadCount: Type.Integer(),
  lastMentionSegment: Type.Integer(),
  isMentioned: Type.Boolean(),
  ...times,
})
export type UserFeedMarker = Static<typeof UserFeedMarker>

/** How far a message feed has come. */
export const FeedMarker = Type.Object({
  feedId: Type.String(),
  entityId: Type.String(),
  lastSegment: Type.Integer(),
  isDeleted: Type.Boolean(),
  ...times,
})
export type FeedMarker = Static<typeof FeedMarker>

/** How many have read and received a message. */
export const ContentMarker = Type.Object({
  contentId: Type.String(),
  feedId: Type.String(),
  creatorId: Type.String(),
  segment: Type.Integer(),
  readCount: Type.Integer(),
  deliveredCount: Type.Integer(),
  ...times,
})
export type ContentMarker = Static<typeof ContentMarker>

const ids = Type.Array(Text(150, 1), { minItems: 1, maxItems: 100 })

export const ChannelMarkersQuery = Type.Object({ channelIds: ids })
export const MessageMarkersQuery = Type.Object({ messageIds: ids })
export const FeedMarkersQuery = Type.Object({
  messageFeedIds: ids,
  options: Type.Optional(Type.Object({ token: Type.Optional(Text(100, 1)) })),
})
export const SyncBody = Type.Object({ deviceLastSyncAt: Type.Optional(Timestamp) })

const segment = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })

export const ChannelIdParams = Type.Object({ channelId: Text(100, 1) })
export const MessageFeedIdParams = Type.Object({ messageFeedId: Text(30, 1) })
export const MessageIdParams = Type.Object({ messageId: Text(150, 1) })

export const MarkReadBody = Type.Object({ readToSegment: segment })
export const MarkChannelReadBody = Type.Object({ readToSegment: Type.Optional(segment) })
export const MarkDeliveringBody = Type.Object({ messageId: Text(150, 1) })
export const ReadingBody = Type.Object({
  messageFeedIds: Type.Array(Text(30, 1), { maxItems: 100 }),
})
export const SeenBody = Type.Object({
  // A client that marks what it is still sending does not know the channel yet, and leaves it out.
  channels: Type.Array(Type.Object({ channelId: Type.Optional(Text(100, 1)), readToSegment: segment }), {
    maxItems: 100,
  }),
})

export const ReadersQuery = Type.Object({
  ...PageQuery.properties,
  memberships: Type.Optional(
    Type.Array(OneOf(['member', 'banned', 'muted', 'non-member', 'deleted']), { minItems: 1, maxItems: 5 }),
  ),
})
export type ReadersQuery = Static<typeof ReadersQuery>
