import { Type, type Static } from 'typebox'
import { PageQuery } from '../../kernel/paging.ts'
import { Metadata, Nullable, OneOf, StringList, Text, Timestamp } from '../../kernel/schema.ts'

export const streamStatuses = ['idle', 'live', 'ended', 'recorded'] as const
export type StreamStatus = (typeof streamStatuses)[number]
const resolutions = ['SD', 'HD', 'FHD'] as const
const labelCategories = ['pornography', 'violence', 'prohibited', 'inappropriate', 'profanity'] as const

/** An address whole, and in the parts that encoders ask for. */
export const StreamUrl = Type.Object({
  url: Type.String(),
  components: Type.Object({
    origin: Type.String(),
    appName: Type.String(),
    streamName: Type.String(),
    query: Type.String(),
  }),
})
export type StreamUrl = Static<typeof StreamUrl>

/** Seconds of media; begin and end as seconds since 1970. */
const RecordingFile = Type.Object({
  url: Type.String(),
  duration: Type.Number(),
  startTime: Type.Number(),
  stopTime: Type.Number(),
})
export type RecordingFile = Static<typeof RecordingFile>

export const Recording = Type.Object({
  flv: Type.Optional(RecordingFile),
  mp4: Type.Optional(RecordingFile),
  m3u8: Type.Optional(RecordingFile),
  /** Whether media that reached the server may be missing, and why. */
  isPartial: Type.Boolean(),
  missing: StringList,
})
export type Recording = Static<typeof Recording>

export const VideoStreamStarted = Type.Object({
  streamId: Type.String(),
  userId: Type.String(),
  thumbnailFileId: Nullable(Type.String()),
  title: Type.String(),
  isLive: Type.Boolean(),
  isDeleted: Type.Boolean(),
  description: Nullable(Type.String()),
  platform: Type.Object({ name: Type.String(), version: Type.String() }),
  startedAt: Nullable(Timestamp),
  endedAt: Nullable(Timestamp),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  metadata: Metadata,
  resolution: OneOf(resolutions),
  streamerUrl: StreamUrl,
})
export type VideoStreamStarted = Static<typeof VideoStreamStarted>

export const VideoStream = Type.Object({
  ...VideoStreamStarted.properties,
  userInternalId: Type.String(),
  userPublicId: Type.String(),
  moderationId: Type.String(),
  postId: Nullable(Type.String()),
  channelId: Nullable(Type.String()),
  channelEnabled: Type.Boolean(),
  parentStreamId: Nullable(Type.String()),
  isParent: Type.Boolean(),
  childStreamIds: StringList,
  isSecure: Type.Boolean(),
  status: OneOf(streamStatuses),
  recordings: Type.Array(Recording),
  /** Null to those who may not watch. */
  watcherUrl: Nullable(Type.Object({ flv: StreamUrl, hls: StreamUrl, rtmp: StreamUrl })),
  referenceId: Nullable(Type.String()),
  referenceType: Nullable(Type.String()),
  targetId: Nullable(Type.String()),
  targetType: Nullable(Type.String()),
  deletedAt: Nullable(Timestamp),
})
export type VideoStream = Static<typeof VideoStream>

const Label = Type.Object({
  category: OneOf(labelCategories),
  /** What a client calls the category. */
  categoryId: OneOf(labelCategories),
  threshold: Type.Number(),
  detectedAt: Timestamp,
})
export type Label = Static<typeof Label>

export const VideoStreamModeration = Type.Object({
  moderationId: Type.String(),
  streamId: Type.String(),
  flagLabels: Type.Array(Label),
  terminateLabels: Type.Array(Label),
  createdAt: Timestamp,
  updatedAt: Timestamp,
})
export type VideoStreamModeration = Static<typeof VideoStreamModeration>

const content = {
  description: Type.Optional(Nullable(Text(5000))),
  thumbnailFileId: Type.Optional(Nullable(Text(50))),
  metadata: Type.Optional(Nullable(Metadata)),
}

export const CreateStreamBody = Type.Object({
  ...content,
  title: Text(1000),
  isSecure: Type.Optional(Type.Boolean({ default: false })),
  resolution: Type.Optional(OneOf(resolutions, { default: 'SD' })),
  channelEnabled: Type.Optional(Type.Boolean({ default: false })),
  parentStreamId: Type.Optional(Nullable(Text(50))),
})
export type CreateStreamBody = Static<typeof CreateStreamBody>

// No default resolution here: an edit of the title must not change it.
export const UpdateStreamBody = Type.Object({
  ...content,
  title: Type.Optional(Text(1000)),
  resolution: Type.Optional(OneOf(resolutions)),
})
export type UpdateStreamBody = Static<typeof UpdateStreamBody>

export const StreamIdParams = Type.Object({ streamId: Text(50, 1) })

export const ListStreamsQuery = Type.Object({
  ...PageQuery.properties,
  isLive: Type.Optional(Type.Boolean()),
  statuses: Type.Optional(Type.Array(OneOf(streamStatuses), { maxItems: 10 })),
  userPublicIds: Type.Optional(Type.Array(Text(50), { maxItems: 100 })),
  sortBy: Type.Optional(OneOf(['firstCreated', 'lastCreated'])),
  isDeleted: Type.Optional(Type.Boolean()),
})
export type ListStreamsQuery = Static<typeof ListStreamsQuery>

/** What somebody who looks at the pictures found, and how sure they are, from 0 to 1. */
export const ModerateBody = Type.Object({
  category: OneOf(labelCategories),
  confidence: Type.Number({ minimum: 0, maximum: 1 }),
})
export type ModerateBody = Static<typeof ModerateBody>
