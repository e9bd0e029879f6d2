import { Type, type Static } from 'typebox'
import { PageQuery } from '../../kernel/paging.ts'
import { Nullable, OneOf, Text, Timestamp } from '../../kernel/schema.ts'

export const invitationTypes = ['communityMemberInvite', 'livestreamCohostInvite'] as const
export const invitationTargetTypes = ['community', 'room'] as const
export const invitationStatuses = ['pending', 'approved', 'rejected', 'cancelled'] as const
export type InvitationType = (typeof invitationTypes)[number]
export type InvitationTargetType = (typeof invitationTargetTypes)[number]
export type InvitationStatus = (typeof invitationStatuses)[number]

export const Invitation = Type.Object({
  _id: Type.String(),
  invitationId: Type.String(),
  networkId: Type.String(),
  type: OneOf(invitationTypes),
  targetType: OneOf(invitationTargetTypes),
  targetId: Type.String(),
  // Of invitations to a community: clients load the communities named here.
  communityId: Type.Optional(Type.String()),
  userId: Type.String(),
  invitedUserId: Type.String(),
  invitedUserPublicId: Type.String(),
  invitedUserInternalId: Type.String(),
  createdBy: Type.String(),
  inviterUserId: Type.String(),
  inviterUserPublicId: Type.String(),
  inviterUserInternalId: Type.String(),
  status: OneOf(invitationStatuses),
  respondedAt: Nullable(Timestamp),
  createdAt: Timestamp,
  updatedAt: Timestamp,
})
export type Invitation = Static<typeof Invitation>

export const CreateInvitationsBody = Type.Object({
  type: OneOf(invitationTypes),
  targetType: OneOf(invitationTargetTypes),
  targetId: Text(50, 1),
  userIds: Type.Array(Text(50, 1), { minItems: 1, maxItems: 100 }),
})
export type CreateInvitationsBody = Static<typeof CreateInvitationsBody>

export const QueryInvitationsQuery = Type.Object({
  ...PageQuery.properties,
  type: Type.Optional(OneOf(invitationTypes)),
  targetType: Type.Optional(OneOf(invitationTargetTypes)),
  targetId: Type.Optional(Text(50, 1)),
  statuses: Type.Optional(Type.Array(OneOf(invitationStatuses), { maxItems: 4 })),
  sortBy: Type.Optional(OneOf(['firstCreated', 'lastCreated'], { default: 'lastCreated' })),
})
export type QueryInvitationsQuery = Static<typeof QueryInvitationsQuery>

export const InvitationIdParams = Type.Object({ invitationId: Text(50, 1) })
