import { Type, type Static } from 'typebox'
import { StringList, Text, Timestamp } from '../../kernel/schema.ts'

const LiveReaction = Type.Object({
  reactionName: Text(100, 1),
  /** What it is shown on: the post of the stream, as the client knows it. */
  referencePublicId: Type.Optional(Text(100, 1)),
  referenceType: Type.Optional(Text(50, 1)),
  occurredAt: Type.Optional(Timestamp),
  // A client sends all it has waiting to each place, so each reaction says where it belongs.
  roomId: Type.Optional(Text(50, 1)),
  streamId: Type.Optional(Text(50, 1)),
})
export type LiveReaction = Static<typeof LiveReaction>

export const LiveReactionsBody = Type.Object({
  roomId: Type.Optional(Text(50, 1)),
  liveStreamId: Type.Optional(Text(50, 1)),
  reactions: Type.Array(LiveReaction, { minItems: 1, maxItems: 100 }),
})
export type LiveReactionsBody = Static<typeof LiveReactionsBody>

export const Added = Type.Object({ addedIds: StringList })
