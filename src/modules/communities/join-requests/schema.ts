import { Type, type Static } from 'typebox'
import { PageQuery } from '../../../kernel/paging.ts'
import { Nullable, OneOf, Text, Timestamp } from '../../../kernel/schema.ts'

export const joinRequestStatuses = ['pending', 'approved', 'rejected', 'cancelled'] as const
export type JoinRequestStatus = (typeof joinRequestStatuses)[number]

export const JoinRequest = Type.Object({
  _id: Type.String(),
  joinRequestId: Type.String(),
  networkId: Type.String(),
  type: Type.Literal('communityJoinRequest'),
  targetType: Type.Literal('community'),
  targetId: Type.String(),
  userId: Type.String(),
  requestorId: Type.String(),
  requestorPublicId: Type.String(),
  requestorInternalId: Type.String(),
  responderId: Nullable(Type.String()),
  responderPublicId: Nullable(Type.String()),
  responderInternalId: Nullable(Type.String()),
  status: OneOf(joinRequestStatuses),
  respondedAt: Nullable(Timestamp),
  createdAt: Timestamp,
  updatedAt: Timestamp,
})
export type JoinRequest = Static<typeof JoinRequest>

const sortBy = Type.Optional(OneOf(['firstCreated', 'lastCreated'], { default: 'lastCreated' }))

export const QueryJoinRequestsQuery = Type.Object({
  ...PageQuery.properties,
  status: Type.Optional(OneOf(joinRequestStatuses)),
  type: Type.Optional(Type.Literal('communityJoinRequest')),
  targetType: Type.Optional(Type.Literal('community')),
  sortBy,
})
export type QueryJoinRequestsQuery = Static<typeof QueryJoinRequestsQuery>

export const QueryMyJoinRequestsQuery = Type.Object({
  ...PageQuery.properties,
  communityIds: Type.Optional(Type.Array(Text(50, 1), { maxItems: 100 })),
  status: Type.Optional(OneOf(joinRequestStatuses)),
  sortBy,
})
export type QueryMyJoinRequestsQuery = Static<typeof QueryMyJoinRequestsQuery>

/** The requester, by internal id as the clients send it; the public id is understood too. */
export const AnswerJoinRequestBody = Type.Object({ userId: Text(50, 1) })
