import { can } from '../../kernel/permissions.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import type { MembershipRow } from './members/store.ts'
import type { CommunityRow } from './store.ts'

/** What a viewer is to a community. */
export type CommunityState = Pick<MembershipRow, 'membership' | 'isInvited' | 'permissions'>

/** Somebody without a membership row. */
export const outsider: CommunityState = { membership: 'none', isInvited: false, permissions: [] }

type Visibility = Pick<CommunityRow, 'isPublic' | 'isDiscoverable'>

/** The role whose holders are counted as moderators, and of whom one must stay. */
export const moderatorRole = 'community-moderator'
/** What a community's creator holds: the second role goes with the backing channel. */
export const creatorRoles = [moderatorRole, 'channel-moderator']

export function isMember(state: CommunityState | null | undefined): boolean {
  return state?.membership === 'member'
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
