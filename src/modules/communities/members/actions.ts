import { now } from '../../../platform/clock.ts'
import type { Tx } from '../../../kernel/database.ts'
import { fail } from '../../../kernel/errors.ts'
import { emit } from '../../../kernel/outbox/emit.ts'
import type { Viewer } from '../../../kernel/viewer.ts'
import { findRoles } from '../../roles/index.ts'
import { lockManagedCommunity, lockVisibleCommunity } from '../access.ts'
import { communityRoleAdded, communityRoleRemoved } from '../events.ts'
import { changeBackingChannelModerators } from '../backing-channel.ts'
import {
  canAddUnasked,
  canGrantRole,
  channelRole,
  isCommunityStaff,
  isExemptFromModeration,
  isMember,
  isModerator,
} from '../policy.ts'
import { readJoinSettings } from '../settings.ts'
import { addToCounts, type CommunityRow } from '../store.ts'
import { admit, ban, dismiss, unban } from './changes.ts'
import { requireLivingPeople, requirePeople } from './people.ts'
import { findMembershipsIn, updateMembership, type MembershipRow } from './store.ts'

/** Memberships that an operation is about, by internal ids. */
export interface Members {
  communityId: string
  userIds: string[]
}

/** Ends the viewer's own membership. The last moderator must stay. */
export async function leaveCommunity(tx: Tx, viewer: Viewer, communityId: string): Promise<string> {
  const { community, membership } = await lockVisibleCommunity(tx, viewer, communityId)
  if (membership?.membership === 'banned') fail('banned')
  if (!membership || !isMember(membership)) return fail('notAMember')
  requireModeratorLeft(community, [membership])
  await dismiss(tx, viewer, community, [membership], 'left')
  return community.id
}

/** Makes people members without asking them. Those who are members stay as they are. */
export async function addMembers(
  tx: Tx,
  viewer: Viewer,
  communityId: string,
  userIds: string[],
): Promise<Members> {
  const { community } = await lockManagedCommunity(tx, viewer, communityId, 'ADD_COMMUNITY_USER')
  const people = await requireLivingPeople(tx, userIds)
  if (!canAddUnasked(viewer, await readJoinSettings(tx)))
    fail('permissionDenied', 'people are invited here, not added')
  const ids = people.map((user) => user.id)
  const banned = (await findMembershipsIn(tx, community.id, ids)).filter((row) => row.membership === 'banned')
  if (banned.length > 0) fail('banned', `banned: ${publicIds(people, banned).join(', ')}`)
  await admit(tx, viewer, community, ids, 'added')
  return { communityId: community.id, userIds: ids }
}

/** Ends people's memberships, or their bans (without making them members). Fails with `notFound` for outsiders. */
export async function removeMembers(
  tx: Tx,
  viewer: Viewer,
  communityId: string,
  userIds: string[],
): Promise<Members> {
  const { community } = await lockManagedCommunity(tx, viewer, communityId, 'REMOVE_COMMUNITY_USER')
  const people = await requirePeople(tx, userIds)
  const ids = people.map((user) => user.id)
  const rows = (await findMembershipsIn(tx, community.id, ids)).filter((row) => row.membership !== 'none')
  if (rows.length < ids.length) fail('notFound', 'not a member')
  if (people.some((user) => user.id !== viewer.id && isExemptFromModeration(user))) fail('exemptFromBan')
  if (!isCommunityStaff(viewer)) requireModeratorLeft(community, rows)
  await dismiss(tx, viewer, community, rows, 'removed')
  return { communityId: community.id, userIds: ids }
}

/** Bans people: they are no members any more and cannot join or be added until the ban is lifted. */
export async function banMembers(
  tx: Tx,
  viewer: Viewer,
  communityId: string,
  userIds: string[],
): Promise<Members> {
  const { community } = await lockManagedCommunity(tx, viewer, communityId, 'BAN_COMMUNITY_USER')
  const people = await requirePeople(tx, userIds)
  if (people.some((user) => user.id === viewer.id)) fail('badRequest', 'nobody bans themselves')
  if (people.some(isExemptFromModeration)) fail('exemptFromBan')
  const ids = people.map((user) => user.id)
  if (!isCommunityStaff(viewer))
    requireModeratorLeft(community, await findMembershipsIn(tx, community.id, ids))
  await ban(tx, viewer, community, ids)
  return { communityId: community.id, userIds: ids }
}

/** Lifts bans. Those who are not banned stay as they are. */
export async function unbanMembers(
  tx: Tx,
  viewer: Viewer,
  communityId: string,
  userIds: string[],
): Promise<Members> {
  const { community } = await lockManagedCommunity(tx, viewer, communityId, 'BAN_COMMUNITY_USER')
  const ids = (await requirePeople(tx, userIds)).map((user) => user.id)
  await unban(tx, viewer, community, ids)
  return { communityId: community.id, userIds: ids }
}

/** Gives members roles. Nobody grants a permission they lack themselves. */
export async function addRoles(
  tx: Tx,
  viewer: Viewer,
  communityId: string,
  { roles, userIds }: { roles: string[]; userIds: string[] },
): Promise<Members> {
  const { community, membership } = await lockManagedCommunity(
    tx,
    viewer,
    communityId,
    'ASSIGN_COMMUNITY_USER_ROLE',
  )
  const found = (await findRoles(tx, roles)).filter((role) => !role.isDeleted)
  const missing = roles.filter((roleId) => !found.some((role) => role.roleId === roleId))
  if (missing.length > 0) fail('notFound', `no such role: ${missing.join(', ')}`)
  const beyond = found.filter((role) => !canGrantRole(viewer, membership, role))
  if (beyond.length > 0)
    fail('permissionDenied', `beyond your own permissions: ${beyond.map((role) => role.roleId).join(', ')}`)
  const members = await requireMembers(tx, community, userIds)
  const changed = members.filter((member) => roles.some((role) => !member.roles.includes(role)))
  await setRoles(tx, community, changed, (member) => [...new Set([...member.roles, ...roles])])
  if (changed.length > 0) {
    const subject = { id: community.id, userIds: changed.map((member) => member.userId) }
    await emit(tx, communityRoleAdded, { actorId: viewer.id, subject })
    await mirrorRoles(tx, viewer, community, subject.userIds, roles, 'add')
  }
  return { communityId: community.id, userIds: members.map((member) => member.userId) }
}

/** Takes roles from members. The last moderator keeps the role. */
export async function removeRoles(
  tx: Tx,
  viewer: Viewer,
  communityId: string,
  { roles, userIds }: { roles: string[]; userIds: string[] },
): Promise<Members> {
  const { community } = await lockManagedCommunity(tx, viewer, communityId, 'ASSIGN_COMMUNITY_USER_ROLE')
  const members = await requireMembers(tx, community, userIds)
  const changed = members.filter((member) => roles.some((role) => member.roles.includes(role)))
  const left = (member: MembershipRow) => member.roles.filter((role) => !roles.includes(role))
  requireModeratorLeft(
    community,
    changed.filter((member) => !isModerator({ ...member, roles: left(member) })),
  )
  await setRoles(tx, community, changed, left)
  if (changed.length > 0) {
    const subject = { id: community.id, userIds: changed.map((member) => member.userId) }
    await emit(tx, communityRoleRemoved, { actorId: viewer.id, subject })
    await mirrorRoles(tx, viewer, community, subject.userIds, roles, 'remove')
  }
  return { communityId: community.id, userIds: members.map((member) => member.userId) }
}

async function setRoles(
  tx: Tx,
  community: CommunityRow,
  members: MembershipRow[],
  rolesOf: (member: MembershipRow) => string[],
): Promise<void> {
  const at = now()
  let moderators = 0
  for (const member of members) {
    const roles = rolesOf(member)
    moderators += Number(isModerator({ ...member, roles })) - Number(isModerator(member))
    await updateMembership(tx, community.id, member.userId, { roles, updatedAt: at })
  }
  if (moderators !== 0) await addToCounts(tx, community.id, { moderators })
}

async function mirrorRoles(
  tx: Tx,
  viewer: Viewer,
  community: CommunityRow,
  userIds: string[],
  roles: string[],
  change: 'add' | 'remove',
): Promise<void> {
  if (roles.includes(channelRole)) {
    await changeBackingChannelModerators(tx, viewer, community.id, userIds, change)
  }
}

/**
 * Fails with `conflict` when these are all the moderators: somebody must be able to run the community. Only the
 * network's staff may remove or ban the last one; nobody may demote them.
 */
function requireModeratorLeft(community: CommunityRow, leaving: MembershipRow[]): void {
  const moderators = leaving.filter(isModerator).length
  if (moderators > 0 && moderators >= community.moderatorMemberCount)
    fail('conflict', 'the last moderator must stay')
}

async function requireMembers(tx: Tx, community: CommunityRow, userIds: string[]): Promise<MembershipRow[]> {
  const people = await requirePeople(tx, userIds)
  const members = (
    await findMembershipsIn(
      tx,
      community.id,
      people.map((user) => user.id),
    )
  ).filter(isMember)
  return members.length === people.length ? members : fail('notFound', 'not a member')
}

function publicIds(people: { id: string; userId: string }[], rows: MembershipRow[]): string[] {
  const ids = new Set(rows.map((row) => row.userId))
  return people.filter((user) => ids.has(user.id)).map((user) => user.userId)
}
