import { Type, type Static } from 'typebox'
import { OneOf, Text, Timestamp } from '../../../kernel/schema.ts'

/** Where a community shows what it pinned. */
export const placements = ['default', 'announcement'] as const
export type Placement = (typeof placements)[number] | 'global'

export const Pin = Type.Object({
  referenceId: Type.String(),
  referenceType: Type.Literal('post'),
  placement: OneOf([...placements, 'global']),
  /** Public id. */
  pinnedBy: Type.String(),
  pinnedAt: Timestamp,
})
export type Pin = Static<typeof Pin>

export const PinTarget = Type.Object({
  targetId: Type.String(),
  targetType: OneOf(['community', 'network']),
  lastPinsUpdatedAt: Timestamp,
})
export type PinTarget = Static<typeof PinTarget>

const communityId = Text(900, 1)
const postId = Text(900, 1)
const placement = OneOf(placements)
export const CommunityPinsParams = Type.Object({ communityId })
export const PlacementParams = Type.Object({ communityId, placement })
export const CommunityPinParams = Type.Object({ communityId, placement, postId })
export const GlobalPinParams = Type.Object({ postId })

export const PinsQuery = Type.Object({
  options: Type.Optional(
    Type.Object({
      sortBy: Type.Optional(OneOf(['createdAt'], { default: 'createdAt' })),
      orderBy: Type.Optional(OneOf(['asc', 'desc'], { default: 'desc' })),
    }),
  ),
})
export type PinsQuery = Static<typeof PinsQuery>
