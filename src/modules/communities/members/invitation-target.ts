import { now } from '../../../platform/clock.ts'
import { fail } from '../../../kernel/errors.ts'
import { can } from '../../../kernel/permissions.ts'
import type { InvitationTarget } from '../../invitations/index.ts'
import { lockManagedCommunity, requireReadableCommunity } from '../access.ts'
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
    await admit(tx, viewer, community, [viewer.id], 'joined')
  },

  async withdraw(tx, _viewer, { targetId, userId }) {
    await updateMembership(tx, targetId, userId, { isInvited: false, updatedAt: now() })
  },
}
