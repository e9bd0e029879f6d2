import { Type, type Static } from 'typebox'
import { Nullable, OneOf, Text, Timestamp } from '../../kernel/schema.ts'
import { channelTypes } from '../channels/index.ts'

export const MessageFeed = Type.Object({
  messageFeedId: Type.String(),
  channelId: Type.String(),
  channelPublicId: Type.String(),
  channelType: OneOf(channelTypes),
  name: Type.String(),
  creatorId: Type.String(),
  creatorPublicId: Type.String(),
  path: Type.String(),
  lastMessageId: Nullable(Type.String()),
  messagePreviewId: Nullable(Type.String()),
  childCount: Type.Integer(),
  isDeleted: Type.Boolean(),
  lastMessageTimestamp: Timestamp,
  editedAt: Nullable(Timestamp),
  createdAt: Timestamp,
  updatedAt: Timestamp,
})
export type MessageFeed = Static<typeof MessageFeed>

export const MessageFeedInfo = Type.Object({
  messageFeedId: Type.String(),
  name: Type.String(),
  messagePreviewId: Nullable(Type.String()),
  createdAt: Timestamp,
  updatedAt: Timestamp,
})
export type MessageFeedInfo = Static<typeof MessageFeedInfo>

export const ChannelIdParams = Type.Object({ channelId: Text(30, 1) })
export const MessageFeedIdParams = Type.Object({ messageFeedId: Text(30, 1) })
export const CreatorIdParams = Type.Object({ creatorId: Text(50, 1) })

export const CreateMessageFeedBody = Type.Object({ channelId: Text(30, 1), name: Text(100, 1) })
export const UpdateMessageFeedBody = Type.Object({ name: Text(100, 1) })
export const DeleteMessageFeedQuery = Type.Object({
  permanent: Type.Optional(Type.Boolean({ default: false })),
})
export const ListMessageFeedsQuery = Type.Object({
  messageFeedIds: Type.Array(Text(30, 1), { minItems: 1, maxItems: 10 }),
})

/** Both names of an order mean the same; a feed's content are its messages. */
const sortBy = OneOf([
  'lastMessageTimestampDesc',
  'lastMessageTimestampAsc',
  'lastContentTimestampDesc',
  'lastContentTimestampAsc',
])
export const FeedPageQuery = Type.Object({
  isDeleted: Type.Optional(Type.Boolean({ default: false })),
  excludeDefaultMessageFeed: Type.Optional(Type.Boolean({ default: false })),
  options: Type.Optional(
    Type.Object({
      after: Type.Optional(Text(30, 1)),
      before: Type.Optional(Text(30, 1)),
      limit: Type.Optional(Type.Integer({ minimum: 0, maximum: 100 })),
      sortBy: Type.Optional(sortBy),
      token: Type.Optional(Text(100, 1)),
    }),
  ),
  limit: Type.Optional(Type.Integer({ minimum: 0, maximum: 100 })),
  token: Type.Optional(Text(100, 1)),
})
export type FeedPageQuery = Static<typeof FeedPageQuery>
