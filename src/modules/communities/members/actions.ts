import { now } from '../../../platform/clock.ts'
import type { Tx } from '../../../kernel/database.ts'
import { fail } from '../../../kernel/errors.ts'
import { emit } from '../../../kernel/outbox/emit.ts'
import type { Viewer } from '../../../kernel/viewer.ts'
import { lockVisibleCommunity } from '../access.ts'
import { communityJoined, communityLeft } from '../events.ts'
import { isMember, moderatorRole } from '../policy.ts'
import { addToCounts, type CommunityRow } from '../store.ts'
import { trendShare } from '../trend.ts'
import { upsertMemberships, type MembershipRow } from './store.ts'

/** Makes the viewer a member. Joining twice changes nothing. Answers the community id. */
export async function joinCommunity(tx: Tx, viewer: Viewer, communityId: string): Promise<string> {
  const { community, membership } = await lockVisibleCommunity(tx, viewer, communityId)
  if (membership?.membership === 'banned') fail('banned')
  if (isMember(membership)) return community.id
  const at = now()
  const trend = trendShare('join', at)
  await upsertMemberships(tx, [
    {
      communityId: community.id,
      userId: viewer.id,
      membership: 'member',
      trendShare: trend,
      lastActivity: at,
      lastJoin: at,
      createdAt: at,
      updatedAt: at,
    },
  ])
  await addToCounts(tx, community.id, { members: 1, trend })
  await emit(tx, communityJoined, { actorId: viewer.id, subject: { id: community.id, userIds: [viewer.id] } })
  return community.id
}

/** Ends the viewer's own membership. The last moderator must stay. */
export async function leaveCommunity(tx: Tx, viewer: Viewer, communityId: string): Promise<string> {
  const { community, membership } = await lockVisibleCommunity(tx, viewer, communityId)
  if (membership?.membership === 'banned') fail('banned')
  if (!membership || !isMember(membership)) return fail('notAMember')
  requireModeratorLeft(community, [membership])
  await endMemberships(tx, community, [membership], 'left')
  await emit(tx, communityLeft, { actorId: viewer.id, subject: { id: community.id, userIds: [viewer.id] } })
  return community.id
}

/** Fails with `conflict` when these members are the last moderators: somebody must be able to run the community. */
function requireModeratorLeft(community: CommunityRow, leaving: MembershipRow[]): void {
  const moderators = leaving.filter(isModerator).length
  if (moderators > 0 && moderators >= community.moderatorMemberCount)
    fail('conflict', 'the last moderator must stay')
}

function isModerator(membership: MembershipRow): boolean {
  return isMember(membership) && membership.roles.includes(moderatorRole)
}

async function endMemberships(
  tx: Tx,
  community: CommunityRow,
  ending: MembershipRow[],
  reason: string,
): Promise<void> {
  const at = now()
  await upsertMemberships(
    tx,
    ending.map(({ permissions: _permissions, ...membership }) => ({
      ...membership,
      membership: 'none',
      notMemberReason: reason,
      roles: [],
      trendShare: 0,
      updatedAt: at,
    })),
  )
  await addToCounts(tx, community.id, {
    members: -ending.length,
    moderators: -ending.filter(isModerator).length,
    trend: -ending.reduce((sum, { trendShare: share }) => sum + share, 0),
  })
}
