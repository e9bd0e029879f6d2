import { now } from '../../../platform/clock.ts'
import { fail } from '../../../kernel/errors.ts'
import { emit } from '../../../kernel/outbox/emit.ts'
import { can } from '../../../kernel/permissions.ts'
import type { InvitationTarget } from '../../invitations/index.ts'
import { lockManagedCommunity, requireReadableCommunity } from '../access.ts'
import { communityJoined } from '../events.ts'
import { isMember } from '../policy.ts'
import { lockCommunity } from '../store.ts'
import { admit } from './changes.ts'
import { findMembership, findMembershipsIn, markInvited, updateMembership } from './store.ts'

/** Invitations to become a member of a community. They let people into private communities, and past approval. */
export const communityInvitationTarget: InvitationTarget = {
  type: 'communityMemberInvite',
  targetType: 'community',

  async requireInviter(db, viewer, communityId) {
    const { membership } = await requireReadableCommunity(db, viewer, communityId)
    if (!can('ADD_COMMUNITY_USER', viewer, membership)) fail('permissionDenied', 'ADD_COMMUNITY_USER')
  },

  async invite(tx, viewer, communityId, userIds) {
    const { community } = await lockManagedCommunity(tx, viewer, communityId, 'ADD_COMMUNITY_USER')
    const rows = await findMembershipsIn(tx, community.id, userIds)
    if (rows.some((row) => row.membership === 'banned')) fail('banned', 'a banned person cannot be invited')
    const members = new Set(rows.filter(isMember).map((row) => row.userId))
    const invited = userIds.filter((userId) => !members.has(userId))
    await markInvited(tx, community.id, invited, now())
    return invited
  },

  async lock(tx, communityId) {
    const community = await lockCommunity(tx, communityId)
    if (!community || community.isDeleted) fail('notFound')
  },

  async accept(tx, viewer, { targetId }) {
    const community = (await lockCommunity(tx, targetId)) ?? fail('notFound')
    const membership = await findMembership(tx, community.id, viewer.id)
    if (membership?.membership === 'banned') fail('banned')
    const joined = await admit(tx, community, [viewer.id], { viewer, byOwnWish: true })
    if (joined.length === 0) return
    await emit(tx, communityJoined, { actorId: viewer.id, subject: { id: community.id, userIds: joined } })
  },

  async withdraw(tx, _viewer, { targetId, userId }) {
    await updateMembership(tx, targetId, userId, { isInvited: false, updatedAt: now() })
  },
}
