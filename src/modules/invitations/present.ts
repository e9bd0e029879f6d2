import { networkId } from '../../kernel/paths.ts'
import { iso } from '../../kernel/schema.ts'
import type { Invitation } from './schema.ts'
import type { ShownInvitationRow } from './store.ts'

export function presentInvitation(row: ShownInvitationRow): Invitation {
  return {
    _id: row.id,
    invitationId: row.id,
    networkId,
    type: row.type as Invitation['type'],
    targetType: row.targetType as Invitation['targetType'],
    targetId: row.targetId,
    ...(row.targetType === 'community' && { communityId: row.targetId }),
    userId: row.invitedPublicId,
    invitedUserId: row.invitedPublicId,
    invitedUserPublicId: row.invitedPublicId,
    invitedUserInternalId: row.userId,
    createdBy: row.inviterPublicId,
    inviterUserId: row.inviterPublicId,
    inviterUserPublicId: row.inviterPublicId,
    inviterUserInternalId: row.createdBy,
    status: row.status as Invitation['status'],
    respondedAt: iso(row.respondedAt),
    createdAt: iso(row.createdAt),
    updatedAt: iso(row.updatedAt),
  }
}
