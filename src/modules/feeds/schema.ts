import { Type, type Static } from 'typebox'
import { OneOf, Timestamp } from '../../kernel/schema.ts'

export const feedTypes = ['published', 'reviewing', 'declined'] as const
export const feedTargetTypes = ['community', 'user', 'content'] as const
export type FeedType = (typeof feedTypes)[number]
export type FeedTargetType = (typeof feedTargetTypes)[number]

export const Feed = Type.Object({
  feedId: Type.String(),
  feedType: OneOf(feedTypes),
  targetId: Type.String(),
  targetType: OneOf(feedTargetTypes),
  postCount: Type.Integer(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
})
export type Feed = Static<typeof Feed>
