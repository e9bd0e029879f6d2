import { now } from '../../../platform/clock.ts'
import type { Tx } from '../../../kernel/database.ts'
import { byId } from '../../../kernel/envelope/resource.ts'
import type { Viewer } from '../../../kernel/viewer.ts'
import { closeInvitations } from '../../invitations/index.ts'
import {
  addToBackingChannel,
  banFromBackingChannel,
  removeFromBackingChannel,
  unbanFromBackingChannel,
} from '../backing-channel.ts'
import { answerJoinRequests } from '../join-requests/answer.ts'
import { isMember, isModerator } from '../policy.ts'
import { addToCounts, type CommunityRow } from '../store.ts'
import { trendShare } from '../trend.ts'
import { findMembershipsIn, upsertMemberships, type MembershipRow } from './store.ts'

// How memberships change. Each function keeps the community's counters, open join requests and open invitations true
// to the change; the caller holds the lock on the community, has checked that the change is allowed, and tells of it.

export interface Admission {
  /** Who lets them in. */
  viewer: Viewer
  /** Whether they asked for it themselves: only that speaks for the community (docs/decisions/top-trending.md). */
  byOwnWish: boolean
}

/** Makes people members. Answers those who were not before. */
export async function admit(
  tx: Tx,
  community: CommunityRow,
  userIds: string[],
  { viewer, byOwnWish }: Admission,
): Promise<string[]> {
  const at = now()
  const known = await membershipsOf(tx, community.id, userIds)
  const joining = userIds.filter((userId) => !isMember(known.get(userId)))
  if (joining.length === 0) return []
  const share = byOwnWish ? trendShare('join', at) : 0
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
  await addToBackingChannel(tx, viewer, community, joining)
  return joining
}

/** Ends memberships. `reason` is what the former members' `notMemberReason` says. */
export async function dismiss(
  tx: Tx,
  community: CommunityRow,
  members: MembershipRow[],
  viewer: Viewer,
  reason: 'left' | 'removed',
): Promise<void> {
  const at = now()
  await upsertMemberships(
    tx,
    members.map((member) => ({ ...ended(member, at), membership: 'none', notMemberReason: reason })),
  )
  await addToCounts(tx, community.id, countsOf(members, -1))
  await removeFromBackingChannel(
    tx,
    viewer,
    community,
    members.map((member) => member.userId),
  )
}

/** Bans people, members or not. Answers those who were not banned before. */
export async function ban(
  tx: Tx,
  community: CommunityRow,
  userIds: string[],
  viewer: Viewer,
): Promise<string[]> {
  const at = now()
  const known = await membershipsOf(tx, community.id, userIds)
  const banning = userIds.filter((userId) => known.get(userId)?.membership !== 'banned')
  if (banning.length === 0) return []
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
  await banFromBackingChannel(tx, viewer, community, banning)
  return banning
}

/** Lifts bans; nobody becomes a member by it. Answers those who were banned. */
export async function unban(
  tx: Tx,
  community: CommunityRow,
  userIds: string[],
  viewer: Viewer,
): Promise<string[]> {
  const at = now()
  const known = await membershipsOf(tx, community.id, userIds)
  const banned = [...known.values()].filter((row) => row.membership === 'banned')
  await upsertMemberships(
    tx,
    banned.map((row) => ({ ...ended(row, at), membership: 'none', notMemberReason: 'unbanned' })),
  )
  const freed = banned.map((row) => row.userId)
  await unbanFromBackingChannel(tx, viewer, community, freed)
  return freed
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
