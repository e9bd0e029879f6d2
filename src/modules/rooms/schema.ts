import { Type, type Static } from 'typebox'
import { PageQuery } from '../../kernel/paging.ts'
import { Metadata, Nullable, OneOf, StringList, Text, Timestamp } from '../../kernel/schema.ts'

export const roomTypes = ['directStreaming', 'coHosts'] as const
export type RoomType = (typeof roomTypes)[number]
export const roomStatuses = [
  'idle',
  'live',
  'waitingReconnect',
  'ended',
  'recorded',
  'terminated',
  'error',
] as const
export type RoomStatus = (typeof roomStatuses)[number]
export const participantTypes = ['host', 'coHost'] as const
export type ParticipantType = (typeof participantTypes)[number]

const Label = Type.Object({
  category: Type.String(),
  /** What clients call the category. */
  categoryId: Type.String(),
  threshold: Type.Number(),
  detectedAt: Timestamp,
})
export type Label = Static<typeof Label>

export const Room = Type.Object({
  _id: Type.String(),
  roomId: Type.String(),
  type: OneOf(roomTypes),
  status: OneOf(roomStatuses),
  title: Type.String(),
  description: Nullable(Type.String()),
  thumbnailFileId: Nullable(Type.String()),
  metadata: Metadata,
  createdBy: Type.String(),
  creatorInternalId: Type.String(),
  /** The interface and the clients name it differently. */
  liveChatEnabled: Type.Boolean(),
  liveChannelEnabled: Type.Boolean(),
  liveChannelId: Nullable(Type.String()),
  participants: Type.Array(
    Type.Object({
      type: OneOf(participantTypes),
      userId: Type.String(),
      userInternalId: Type.String(),
      canManageProductTags: Type.Boolean(),
    }),
  ),
  /** Only while there is something to play, and not to those who are banned. */
  livePlaybackUrl: Nullable(Type.String()),
  liveThumbnailUrl: Nullable(Type.String()),
  recordedPlaybackInfos: Type.Array(
    Type.Object({ url: Type.String(), thumbnailUrl: Nullable(Type.String()) }),
  ),
  durationSeconds: Nullable(Type.Integer()),
  parentRoomId: Nullable(Type.String()),
  childRoomIds: StringList,
  referenceId: Nullable(Type.String()),
  referenceType: Nullable(Type.String()),
  targetId: Nullable(Type.String()),
  targetType: Nullable(Type.String()),
  targetVisibility: Nullable(OneOf(['public', 'private'])),
  moderationId: Type.String(),
  moderation: Type.Object({
    flagLabels: Type.Array(Label),
    terminateLabels: Type.Array(Label),
    updatedAt: Timestamp,
  }),
  path: Type.String(),
  isDeleted: Type.Boolean(),
  deletedBy: Nullable(Type.String()),
  liveAt: Nullable(Timestamp),
  endedAt: Nullable(Timestamp),
  recordedAt: Nullable(Timestamp),
  deletedAt: Nullable(Timestamp),
  createdAt: Timestamp,
  updatedAt: Timestamp,
})
export type Room = Static<typeof Room>

const content = {
  description: Type.Optional(Nullable(Text(5000))),
  thumbnailFileId: Type.Optional(Nullable(Text(50))),
  metadata: Type.Optional(Nullable(Metadata)),
  parentRoomId: Type.Optional(Nullable(Text(50))),
}

export const CreateRoomBody = Type.Object({
  ...content,
  title: Text(1000),
  liveChatEnabled: Type.Optional(Type.Boolean({ default: true })),
  type: Type.Optional(OneOf(roomTypes, { default: 'directStreaming' })),
})
export type CreateRoomBody = Static<typeof CreateRoomBody>

// No default for the chat here: an edit of the title must not change it.
export const UpdateRoomBody = Type.Object({
  ...content,
  title: Type.Optional(Text(1000)),
  liveChatEnabled: Type.Optional(Type.Boolean()),
})
export type UpdateRoomBody = Static<typeof UpdateRoomBody>

export const RoomIdParams = Type.Object({ roomId: Text(50, 1) })
export const ParticipantParams = Type.Object({ roomId: Text(50, 1), userId: Text(300, 1) })
export const ParticipantBody = Type.Object({ canManageProductTags: Type.Boolean() })

export const ListRoomsQuery = Type.Object({
  ...PageQuery.properties,
  type: Type.Optional(OneOf(roomTypes)),
  statuses: Type.Optional(Type.Array(OneOf(roomStatuses), { maxItems: 10 })),
  sortBy: Type.Optional(OneOf(['firstCreated', 'lastCreated'])),
  isDeleted: Type.Optional(Type.Boolean()),
})
export type ListRoomsQuery = Static<typeof ListRoomsQuery>

const liveOrder = Type.Optional(OneOf(['lastCreated']))
export const LiveRoomsQuery = Type.Object({
  limit: PageQuery.properties.limit,
  // All there is comes on one page.
  options: Type.Optional(Type.Object({ limit: PageQuery.properties.limit, sortBy: liveOrder })),
  targetTypes: Type.Optional(Type.Array(OneOf(['all', 'community']), { maxItems: 2 })),
  targetIds: Type.Optional(Type.Array(Text(50, 1), { maxItems: 100 })),
  sortBy: liveOrder,
})
export type LiveRoomsQuery = Static<typeof LiveRoomsQuery>

/** Where a host streams to, or where co-hosts meet; viewers of the latter may listen there too. */
export const BroadcasterData = Type.Object({
  coHostToken: Type.Optional(Type.String()),
  coHostUrl: Type.Optional(Type.String()),
  directStreamUrl: Type.Optional(Type.String()),
})
export type BroadcasterData = Static<typeof BroadcasterData>

export const RecordedUrl = Type.Object({ url: Type.String(), expiresAt: Timestamp })

export const ModerateBody = Type.Object({
  category: OneOf(['pornography', 'violence', 'prohibited', 'inappropriate', 'profanity']),
  /** How sure whoever looked at the pictures is. */
  confidence: Type.Number({ minimum: 0, maximum: 1 }),
})
export type ModerateBody = Static<typeof ModerateBody>

const WatchedRoom = Type.Object({
  sessionId: Type.Optional(Text(100, 1)),
  roomId: Text(50, 1),
  /** ISO 8601, or milliseconds since 1970. An end that is empty is worked out from the seconds. */
  startTime: Text(40, 1),
  endTime: Text(40),
  watchSeconds: Type.Number({ minimum: 0, maximum: 86_400 }),
})
export type WatchedRoom = Static<typeof WatchedRoom>

/** The signature is made with a key that every client holds, so it proves nothing and is not looked at. */
export const WatchingBody = Type.Object({
  signature: Text(1000),
  nonceStr: Text(1000),
  timestamp: Text(100),
  rooms: Type.Array(WatchedRoom, { minItems: 1, maxItems: 100 }),
})
