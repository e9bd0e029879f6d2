import { can, type Permission, type PermissionHolder } from '../../kernel/permissions.ts'
import { isAdmin, type Viewer } from '../../kernel/viewer.ts'
import type { ChannelType } from './schema.ts'

/** What rules ask of a channel. */
export interface RuledChannel {
  type: ChannelType
  isPublic: boolean
  isClosed: boolean
  isDeleted: boolean
}

/** What rules ask of a membership; absent stands for none. */
export interface RuledMember extends PermissionHolder {
  membership: 'none' | 'member' | 'banned'
}

export function isMember(member: RuledMember | undefined): boolean {
  return member?.membership === 'member'
}

/** Whether a viewer may moderate, network-wide or here. Former members keep no powers. */
export function may(permission: Permission, viewer: Viewer, member: RuledMember | undefined): boolean {
  return can(permission, viewer, isMember(member) ? member : null)
}

/** Public channels are seen by all, others by their members and by network moderators. */
export function canSeeChannel(
  viewer: Viewer,
  channel: RuledChannel,
  member: RuledMember | undefined,
): boolean {
  return (
    channel.isPublic || (member !== undefined && member.membership !== 'none') || can('EDIT_CHANNEL', viewer)
  )
}

/**
 * Banned people see that a channel exists and that they are banned, not what is said there. A deleted channel is read
 * by network moderators only.
 */
export function canReadMessages(
  viewer: Viewer,
  channel: RuledChannel,
  member: RuledMember | undefined,
): boolean {
  if (channel.isDeleted && !can('EDIT_CHANNEL', viewer)) return false
  return canSeeChannel(viewer, channel, member) && member?.membership !== 'banned'
}

/** Public channels may be joined by anyone; who is in a conversation is settled when it is made. */
export function canJoin(viewer: Viewer, channel: RuledChannel): boolean {
  return channel.type !== 'conversation' && (channel.isPublic || isAdmin(viewer))
}

/** In broadcast channels only moderators write; elsewhere every member. */
export function canWriteMessages(
  viewer: Viewer,
  channel: RuledChannel,
  member: RuledMember | undefined,
): boolean {
  if (channel.type === 'broadcast') return may('EDIT_CHANNEL', viewer, member)
  return isMember(member)
}

/** Nobody hands out what they do not have. */
export function canGrantRole(
  viewer: Viewer,
  member: RuledMember | undefined,
  role: PermissionHolder,
): boolean {
  return [...role.permissions].every((permission) => may(permission as Permission, viewer, member))
}

/** Those who keep order in the whole network are not banned from parts of it. */
export function isExemptFromBan(user: PermissionHolder): boolean {
  return can('BAN_CHANNEL_USER', user)
}

/** Channels are ended by their moderators; a conversation, which has none, by who began it. */
export function canEndChannel(
  viewer: Viewer,
  channel: RuledChannel & { creatorId: string },
  member: RuledMember | undefined,
): boolean {
  if (channel.type === 'conversation' && channel.creatorId === viewer.id) return true
  return may('CLOSE_CHANNEL', viewer, member)
}
