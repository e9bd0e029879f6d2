import { now } from '../../../platform/clock.ts'
import type { Tx } from '../../../kernel/database.ts'
import { byId } from '../../../kernel/envelope/resource.ts'
import type { Viewer } from '../../../kernel/viewer.ts'
import { emit } from '../../../kernel/outbox/emit.ts'
import type { EventDefinition } from '../../../kernel/outbox/event.ts'
import { closeInvitations } from '../../invitations/index.ts'
import {
  addToBackingChannel,
  banFromBackingChannel,
  removeFromBackingChannel,
  unbanFromBackingChannel,
} from '../backing-channel.ts'
import {
  communityJoined,
  communityLeft,
  communityUserAdded,
  communityUserBanned,
  communityUserChanged,
  communityUserRemoved,
  communityUserUnbanned,
  type MembersSubject,
} from '../events.ts'
import { answerJoinRequests } from '../join-requests/answer.ts'
import { isMember, isModerator } from '../policy.ts'
import { addToCounts, type CommunityRow } from '../store.ts'
import { trendShare } from '../trend.ts'
import { findMembershipsIn, upsertMemberships, type MembershipRow } from './store.ts'

// How memberships change. Each function keeps the community's counters, open join requests, open invitations and the
// backing channel true to the change, and tells of it; the caller holds the lock on the community and has checked that
// the change is allowed. The community is told first: the channel's news make clients' rights be judged again, and those
// who are out would not hear why.

/** How somebody becomes a member: by themselves, by asking, or by somebody else's will. */
export type Admission = 'joined' | 'approved' | 'added'

/** Makes people members; those who are members stay as they are. */
export async function admit(
  tx: Tx,
  viewer: Viewer,
  community: CommunityRow,
  userIds: string[],
  admission: Admission,
): Promise<void> {
  const at = now()
  const known = await membershipsOf(tx, community.id, userIds)
  const joining = userIds.filter((userId) => !isMember(known.get(userId)))
  if (joining.length === 0) return
  // Only those who wished to come speak for the community (docs/decisions/top-trending.md).
  const share = admission === 'added' ? 0 : trendShare('join', at)
  await upsertMemberships(
    tx,
    joining.map((userId) => ({
      ...blank(community.id, userId, at),
      membership: 'member',
      trendShare: share,
      lastJoin: at,
    })),
  )
  await addToCounts(tx, community.id, { members: joining.length, trend: share * joining.length })
  await answerJoinRequests(tx, community.id, joining, { status: 'approved', responderId: viewer.id })
  await closeInvitations(tx, 'community', community.id, joining, 'approved')
  await tell(tx, viewer, community, joining, admission === 'joined' ? communityJoined : communityUserAdded)
  await addToBackingChannel(tx, viewer, community.id, joining)
}

/** Ends memberships and bans. */
export async function dismiss(
  tx: Tx,
  viewer: Viewer,
  community: CommunityRow,
  rows: MembershipRow[],
  reason: 'left' | 'removed',
): Promise<void> {
  const at = now()
  const out = rows.map((row) => row.userId)
  await upsertMemberships(
    tx,
    rows.map((row) => ({ ...ended(row, at), membership: 'none', notMemberReason: reason })),
  )
  await addToCounts(tx, community.id, countsOf(rows.filter(isMember), -1))
  await tell(tx, viewer, community, out, reason === 'left' ? communityLeft : communityUserRemoved)
  await removeFromBackingChannel(tx, viewer, community.id, out)
}

/** Bans people, members or not; those who are banned stay as they are. */
export async function ban(tx: Tx, viewer: Viewer, community: CommunityRow, userIds: string[]): Promise<void> {
  const at = now()
  const known = await membershipsOf(tx, community.id, userIds)
  const banning = userIds.filter((userId) => known.get(userId)?.membership !== 'banned')
  if (banning.length === 0) return
  await upsertMemberships(
    tx,
    banning.map((userId) => {
      const row = known.get(userId)
      const base = row ? ended(row, at) : blank(community.id, userId, at)
      return { ...base, membership: 'banned', notMemberReason: 'banned' }
    }),
  )
  await addToCounts(tx, community.id, countsOf([...known.values()].filter(isMember), -1))
  await answerJoinRequests(tx, community.id, banning, { status: 'rejected', responderId: viewer.id })
  await closeInvitations(tx, 'community', community.id, banning, 'cancelled')
  await tell(tx, viewer, community, banning, communityUserBanned)
  await banFromBackingChannel(tx, viewer, community.id, banning)
}

/** Lifts bans; nobody becomes a member by it. */
export async function unban(
  tx: Tx,
  viewer: Viewer,
  community: CommunityRow,
  userIds: string[],
): Promise<void> {
  const at = now()
  const known = await membershipsOf(tx, community.id, userIds)
  const banned = [...known.values()].filter((row) => row.membership === 'banned')
  if (banned.length === 0) return
  const freed = banned.map((row) => row.userId)
  await upsertMemberships(
    tx,
    banned.map((row) => ({ ...ended(row, at), membership: 'none', notMemberReason: 'unbanned' })),
  )
  await tell(tx, viewer, community, freed, communityUserUnbanned)
  await unbanFromBackingChannel(tx, viewer, community.id, freed)
}

async function tell(
  tx: Tx,
  viewer: Viewer,
  community: CommunityRow,
  userIds: string[],
  event: EventDefinition<MembersSubject>,
): Promise<void> {
  const happening = { actorId: viewer.id, subject: { id: community.id, userIds } }
  await emit(tx, event, happening)
  if (event === communityUserAdded || event === communityUserRemoved)
    await emit(tx, communityUserChanged, happening)
}

async function membershipsOf(
  tx: Tx,
  communityId: string,
  userIds: string[],
): Promise<Map<string, MembershipRow>> {
  return byId(await findMembershipsIn(tx, communityId, userIds), (row) => row.userId)
}

function blank(communityId: string, userId: string, at: Date) {
  return {
    communityId,
    userId,
    notMemberReason: null as string | null,
    roles: [] as string[],
    isInvited: false,
    trendShare: 0,
    lastActivity: at,
    lastJoin: null as Date | null,
    createdAt: at,
    updatedAt: at,
  }
}

function ended({ communityId, userId, lastActivity, lastJoin, createdAt }: MembershipRow, at: Date) {
  return { ...blank(communityId, userId, at), lastActivity, lastJoin, createdAt }
}

function countsOf(members: MembershipRow[], sign: 1 | -1) {
  return {
    members: sign * members.length,
    moderators: sign * members.filter(isModerator).length,
    trend: sign * members.reduce((sum, { trendShare: share }) => sum + share, 0),
  }
}
