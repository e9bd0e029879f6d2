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

const sortBy = OneOf(['lastMessageTimestampDesc', 'lastMessageTimestampAsc', 'lastContentTimestampDesc'])

export const ChannelIdParams = Type.Object({ channelId: Text(30, 1) })
export const ChannelFeedsQuery = Type.Object({
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
export type ChannelFeedsQuery = Static<typeof ChannelFeedsQuery>
