import { Type, type Static } from 'typebox'
import {
  HashFlag,
  Mentionee,
  Metadata,
  Nullable,
  OneOf,
  ReactionCounts,
  StringList,
  Text,
  Timestamp,
} from '../../kernel/schema.ts'
import { channelTypes } from '../channels/index.ts'

export const dataTypes = ['text', 'image', 'file', 'custom', 'video', 'audio', 'imagemap'] as const
export type DataType = (typeof dataTypes)[number]

const MentionedUsers = Type.Object({
  type: OneOf(['user', 'channel']),
  userIds: StringList,
  userPublicIds: StringList,
})

/** The list and realtime form. */
export const Message = Type.Object({
  messageId: Type.String(),
  publicId: Type.String(),
  networkId: Type.String(),
  channelId: Type.String(),
  channelPublicId: Type.String(),
  channelType: OneOf(channelTypes),
  messageFeedId: Type.String(),
  dataType: OneOf(dataTypes),
  dataTypes: StringList,
  data: Metadata,
  metadata: Metadata,
  fileId: Nullable(Type.String()),
  thumbnailFileId: Nullable(Type.String()),
  creatorId: Type.String(),
  creatorPublicId: Type.String(),
  parentId: Nullable(Type.String()),
  path: Type.String(),
  segment: Type.Integer(),
  tags: StringList,
  mentionedUsers: Type.Array(MentionedUsers),
  reactions: ReactionCounts,
  reactionCount: Type.Integer(),
  flagCount: Type.Integer(),
  hashFlag: HashFlag,
  childCount: Type.Integer(),
  isDeleted: Type.Boolean(),
  deletedAt: Nullable(Timestamp),
  editedAt: Nullable(Timestamp),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  // Of a viewer, not in events.
  myReactions: Type.Optional(StringList),
  // To the sender and in the event of the creation.
  referenceId: Type.Optional(Type.String()),
})
export type Message = Static<typeof Message>

export const LatestReaction = Type.Object({
  referenceId: Type.String(),
  referenceType: Type.String(),
  reactionName: Type.String(),
  userId: Type.String(),
  userDisplayName: Nullable(Type.String()),
  reactionId: Type.String(),
  eventName: Type.String(),
  createdAt: Timestamp,
})
export type LatestReaction = Static<typeof LatestReaction>

/** The form of the older operations and of webhooks. */
export const MessageV3 = Type.Object({
  _id: Type.String(),
  path: Type.String(),
  messageId: Type.String(),
  channelId: Type.String(),
  userId: Type.String(),
  parentId: Nullable(Type.String()),
  type: OneOf(dataTypes),
  data: Metadata,
  fileId: Nullable(Type.String()),
  metadata: Metadata,
  channelSegment: Type.Integer(),
  tags: StringList,
  mentionees: Type.Array(Mentionee),
  reactions: ReactionCounts,
  reactionsCount: Type.Integer(),
  latestReaction: Nullable(LatestReaction),
  flagCount: Type.Integer(),
  hashFlag: HashFlag,
  childrenNumber: Type.Integer(),
  isDeleted: Type.Boolean(),
  editedAt: Nullable(Timestamp),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  myReactions: Type.Optional(StringList),
})
export type MessageV3 = Static<typeof MessageV3>

export const MessagePreview = Type.Object({
  messageId: Type.String(),
  channelId: Type.String(),
  channelPublicId: Type.String(),
  messageFeedId: Type.String(),
  dataType: OneOf(dataTypes),
  creatorId: Type.String(),
  creatorPublicId: Type.String(),
  parentId: Nullable(Type.String()),
  segment: Type.Integer(),
  data: Metadata,
  isDeleted: Type.Boolean(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
})
export type MessagePreview = Static<typeof MessagePreview>

const Tags = Type.Array(Text(30), { maxItems: 10 })
/** Who a message mentions: `userIds` of users, nobody named for the whole channel. */
const Mentions = (maxUsers: number) =>
  Type.Array(
    Type.Object({
      type: Type.Optional(OneOf(['user', 'channel'], { default: 'user' })),
      userIds: Type.Optional(Type.Array(Text(50, 1), { maxItems: maxUsers })),
    }),
    { maxItems: 2 },
  )
export type Mentions = Static<ReturnType<typeof Mentions>>

export const CreateMessageV3Body = Type.Object({
  channelId: Text(150, 1),
  messageId: Type.Optional(Text(150, 1)),
  type: Type.Optional(OneOf(dataTypes, { default: 'text' })),
  data: Type.Optional(Metadata),
  fileId: Type.Optional(Nullable(Text(50))),
  parentId: Type.Optional(Nullable(Text(150))),
  metadata: Type.Optional(Metadata),
  tags: Type.Optional(Tags),
  mentionees: Type.Optional(Mentions(30)),
})
export type CreateMessageV3Body = Static<typeof CreateMessageV3Body>

/** The clients' own ids (`LOCAL_` and a UUID) are longer than the 30 characters once described. */
export const CreateMessageBody = Type.Object({
  messageFeedId: Text(30, 1),
  referenceId: Type.Optional(Text(150, 1)),
  dataType: OneOf(dataTypes),
  data: Type.Optional(Metadata),
  fileId: Type.Optional(Nullable(Text(50))),
  parentId: Type.Optional(Nullable(Text(150))),
  metadata: Type.Optional(Metadata),
  tags: Type.Optional(Tags),
  mentionedUsers: Type.Optional(Mentions(50)),
})
export type CreateMessageBody = Static<typeof CreateMessageBody>

export const MessageIdParams = Type.Object({ messageId: Text(150, 1) })

export const UpdateMessageV3Body = Type.Object({
  data: Type.Optional(Metadata),
  metadata: Type.Optional(Metadata),
  tags: Type.Optional(Tags),
  mentionees: Type.Optional(Mentions(30)),
})
export const UpdateMessageBody = Type.Object({
  data: Type.Optional(Metadata),
  metadata: Type.Optional(Metadata),
  tags: Type.Optional(Tags),
  mentionedUsers: Type.Optional(Mentions(50)),
})
export const DeleteMessageQuery = Type.Object({ permanent: Type.Optional(Type.Boolean({ default: false })) })

export const ListMessagesQuery = Type.Object({
  messageIds: Type.Array(Text(30, 1), { minItems: 1, maxItems: 10 }),
})
export const ListMessagesV3Query = Type.Object({
  messageIds: Type.Array(Text(150, 1), { minItems: 1, maxItems: 10 }),
})

const limit = Type.Optional(Type.Integer({ minimum: 1, maximum: 100 }))
const token = Type.Optional(Text(100, 1))

export const QueryMessagesQuery = Type.Object({
  messageFeedId: Text(30, 1),
  parentId: Type.Optional(Text(150, 1)),
  filterByParentId: Type.Optional(Type.Boolean()),
  isDeleted: Type.Optional(Type.Boolean()),
  includeTags: Type.Optional(Tags),
  excludeTags: Type.Optional(Tags),
  hasFlags: Type.Optional(Type.Boolean()),
  dataType: Type.Optional(OneOf(dataTypes)),
  options: Type.Optional(
    Type.Object({
      after: Type.Optional(Text(150, 1)),
      before: Type.Optional(Text(150, 1)),
      around: Type.Optional(Text(150, 1)),
      limit,
      sortBy: Type.Optional(OneOf(['segmentAsc', 'segmentDesc'], { default: 'segmentDesc' })),
      token,
    }),
  ),
  limit,
  token,
})
export type QueryMessagesQuery = Static<typeof QueryMessagesQuery>

const V3Tags = Type.Array(Text(100), { maxItems: 10 })
const Segment = Type.Integer({ minimum: 1 })
export const QueryMessagesV3Query = Type.Object({
  channelId: Text(150, 1),
  type: Type.Optional(OneOf(dataTypes)),
  parentId: Type.Optional(Text(150, 1)),
  filterByParentId: Type.Optional(Type.Boolean({ default: false })),
  hasFlag: Type.Optional(Type.Boolean()),
  isDeleted: Type.Optional(Type.Boolean()),
  tags: Type.Optional(V3Tags),
  excludeTags: Type.Optional(V3Tags),
  options: Type.Optional(
    Type.Object({
      after: Type.Optional(Segment),
      before: Type.Optional(Segment),
      first: limit,
      last: limit,
      limit,
      token: Type.Optional(Text(1000, 1)),
    }),
  ),
})
export type QueryMessagesV3Query = Static<typeof QueryMessagesV3Query>

export const CreatorIdParams = Type.Object({ creatorId: Text(50, 1) })
export const UserMessagesQuery = Type.Object({
  channelId: Type.Optional(Text(30, 1)),
  hasFlags: Type.Optional(Type.Boolean()),
  options: Type.Optional(
    Type.Object({ after: Type.Optional(Text(150, 1)), before: Type.Optional(Text(150, 1)), limit, token }),
  ),
})
export type UserMessagesQuery = Static<typeof UserMessagesQuery>

export const SearchMessagesQuery = Type.Object({
  query: Text(100, 1),
  exactMatch: Type.Optional(Type.Boolean({ default: false })),
  channelId: Type.Optional(Text(150, 1)),
  messageFeedId: Type.Optional(Text(30, 1)),
  tags: Type.Optional(Tags),
  options: Type.Optional(
    Type.Object({
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 20 })),
      orderBy: Type.Optional(OneOf(['desc', 'asc'], { default: 'desc' })),
      token,
    }),
  ),
})
export type SearchMessagesQuery = Static<typeof SearchMessagesQuery>
/** Beside the messages found. */
export const SearchExtra = {
  search: Type.Object({ query: Type.String(), limit: Type.Integer(), orderBy: Type.String() }),
}

export const MostReactedQuery = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 10 })),
  reactionName: Type.Optional(Text(100, 1)),
})
