import { Type, type Static } from 'typebox'
import { PageQuery } from '../../kernel/paging.ts'
import { Text, Timestamp } from '../../kernel/schema.ts'

const WatchedStream = Type.Object({
  sessionId: Type.Optional(Text(100, 1)),
  streamId: Text(50, 1),
  /** ISO 8601, or milliseconds since 1970. */
  startTime: Text(40, 1),
  endTime: Text(40, 1),
  watchSeconds: Type.Number({ minimum: 0, maximum: 86_400 }),
})
export type WatchedStream = Static<typeof WatchedStream>

/** The signature is made with a key that every client holds, so it proves nothing and is not looked at. */
export const WatchingBody = Type.Object({
  signature: Text(1000),
  nonceStr: Text(1000),
  timestamp: Text(100),
  streams: Type.Array(WatchedStream, { minItems: 1, maxItems: 100 }),
})

export const ListViewersQuery = Type.Object({
  ...PageQuery.properties,
  /** Only those who watch now. */
  isWatching: Type.Optional(Type.Boolean()),
})
export type ListViewersQuery = Static<typeof ListViewersQuery>

export const StreamViewer = Type.Object({
  userId: Type.String(),
  userInternalId: Type.String(),
  joinedAt: Timestamp,
  lastSeenAt: Timestamp,
  watchSeconds: Type.Number(),
})

export const BanViewersBody = Type.Object({
  userIds: Type.Array(Text(50, 1), { minItems: 1, maxItems: 100 }),
})
