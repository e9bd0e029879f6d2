import { Type, type Static } from 'typebox'
import { PageQuery } from '../../kernel/paging.ts'
import { OneOf, Text, Timestamp } from '../../kernel/schema.ts'

export const reactionTypes = ['post', 'comment', 'story', 'message'] as const

export const Reactor = Type.Object({
  reactionId: Type.String(),
  reactionName: Type.String(),
  userId: Type.String(),
  userPublicId: Type.String(),
  /** Spelt as the vendor's description spells it. */
  userPublicIdId: Type.String(),
  userInternalId: Type.String(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
})
export type Reactor = Static<typeof Reactor>

export const Reaction = Type.Object({
  referenceId: Type.String(),
  referenceType: OneOf(reactionTypes),
  reactors: Type.Array(Reactor),
})

const reference = {
  referenceId: Text(900, 1),
  referenceType: OneOf(reactionTypes),
  referenceVersion: Type.Optional(Type.Integer()),
}

export const ReactionBody = Type.Object({ ...reference, reactionName: Text(100, 1) })
export type ReactionBody = Static<typeof ReactionBody>

/** Removal is sent as a body by the clients and described as a query: each part may come from either. */
export const RemoveReactionQuery = Type.Partial(ReactionBody)
export type RemoveReaction = Static<typeof RemoveReactionQuery>

export const QueryReactionsQuery = Type.Object({
  ...PageQuery.properties,
  ...reference,
  reactionName: Type.Optional(Text(100)),
})
export type QueryReactionsQuery = Static<typeof QueryReactionsQuery>

export const Added = Type.Object({ addedId: Type.String() })
export const Removed = Type.Object({ removedId: Type.String() })
