import { can } from '../../kernel/permissions.ts'
import { isAdmin, type Viewer } from '../../kernel/viewer.ts'
import type { MembershipRow } from './members/store.ts'
import type { JoinSettings } from './settings.ts'
import type { CommunityRow } from './store.ts'

/** What a viewer is to a community. */
export type CommunityState = Pick<MembershipRow, 'membership' | 'isInvited' | 'permissions'>

/** Somebody without a membership row. */
export const outsider: CommunityState = { membership: 'none', isInvited: false, permissions: [] }

type Visibility = Pick<CommunityRow, 'isPublic' | 'isDiscoverable'>

/** The role whose holders are counted as moderators, and of whom one must stay. */
const moderatorRole = 'community-moderator'
/** The role that a membership shares with the backing channel. */
export const channelRole = 'channel-moderator'
/** What a community's creator holds. */
export const creatorRoles = [moderatorRole, channelRole]

/** Network-wide roles whose holders cannot be moderated by the moderators of one community. */
const exemptRoles = ['super-moderator', 'global-admin']

export function isMember(state: Pick<CommunityState, 'membership'> | null | undefined): boolean {
  return state?.membership === 'member'
}

export function isModerator(membership: Pick<MembershipRow, 'membership' | 'roles'>): boolean {
  return isMember(membership) && membership.roles.includes(moderatorRole)
}

/** Network-wide staff: they see and manage every community without being in it. */
export function isCommunityStaff(viewer: Viewer): boolean {
  return can('EDIT_COMMUNITY', viewer)
}

/** Whether the viewer may know of the community: its name, picture, counts. */
export function canSeeCommunity(
  viewer: Viewer,
  community: Visibility,
  state: CommunityState | null | undefined,
): boolean {
  if (canReadCommunity(viewer, community, state) || community.isDiscoverable) return true
  return state?.isInvited === true
}

/** Whether the viewer may read what is inside: posts, members, events. */
export function canReadCommunity(
  viewer: Viewer,
  community: Visibility,
  state: CommunityState | null | undefined,
): boolean {
  return community.isPublic || isMember(state) || isCommunityStaff(viewer)
}

/** The official badge is the network's word, so the network's staff gives it. */
export function canMakeOfficial(viewer: Viewer): boolean {
  return isCommunityStaff(viewer)
}

/** Whether people may be made members without having agreed. Where they must agree, the network's staff still may. */
export function canAddUnasked(viewer: Viewer, settings: JoinSettings): boolean {
  return settings.membershipAcceptance === 'automatic' || can('ADD_COMMUNITY_USER', viewer)
}

/** How somebody who asks becomes a member: at once, or after approval. */
export function joinsBy(
  viewer: Viewer,
  community: Visibility & Pick<CommunityRow, 'requiresJoinApproval'>,
  state: CommunityState | null | undefined,
): 'joining' | 'asking' {
  if (state?.isInvited || isCommunityStaff(viewer)) return 'joining'
  return community.requiresJoinApproval ? 'asking' : 'joining'
}

/** Nobody grants a permission they lack. */
export function canGrantRole(
  viewer: Viewer,
  membership: CommunityState | null,
  role: { permissions: readonly string[] },
): boolean {
  if (isAdmin(viewer)) return true
  const held = new Set([...viewer.permissions, ...(membership?.permissions ?? [])])
  return role.permissions.every((permission) => held.has(permission))
}

export function isExemptFromModeration(user: { roles: readonly string[] }): boolean {
  return exemptRoles.some((role) => user.roles.includes(role))
}

/** Those banned from a community are shown to who may ban. */
export function canListBanned(viewer: Viewer, state: CommunityState | null): boolean {
  return can('BAN_COMMUNITY_USER', viewer, state)
}
