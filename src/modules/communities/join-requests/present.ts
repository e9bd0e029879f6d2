import { networkId } from '../../../kernel/paths.ts'
import { iso } from '../../../kernel/schema.ts'
import type { JoinRequest } from './schema.ts'
import type { ShownJoinRequestRow } from './store.ts'

export function presentJoinRequest(row: ShownJoinRequestRow): JoinRequest {
  return {
    _id: row.id,
    joinRequestId: row.id,
    networkId,
    type: 'communityJoinRequest',
    targetType: 'community',
    targetId: row.communityId,
    userId: row.requestorPublicId,
    requestorId: row.requestorPublicId,
    requestorPublicId: row.requestorPublicId,
    requestorInternalId: row.userId,
    responderId: row.responderPublicId,
    responderPublicId: row.responderPublicId,
    responderInternalId: row.responderId,
    status: row.status as JoinRequest['status'],
    respondedAt: iso(row.respondedAt),
    createdAt: iso(row.createdAt),
    updatedAt: iso(row.updatedAt),
  }
}
