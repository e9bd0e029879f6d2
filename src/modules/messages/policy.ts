import { can } from '../../kernel/permissions.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import { isMember, may, type ChannelFacts, type ChannelMemberRow } from '../channels/index.ts'

type Member = ChannelMemberRow | undefined

/** Authors edit what they said as long as they may speak there; moderators with the permission may too. */
export function canEditMessage(viewer: Viewer, creatorId: string, member: Member): boolean {
  return (creatorId === viewer.id && isMember(member)) || may('EDIT_MESSAGE', viewer, member)
}

/** Authors take back what they said; moderators what should not be there, in conversations if the network lets them. */
export function canDeleteMessage(
  viewer: Viewer,
  creatorId: string,
  channel: ChannelFacts,
  member: Member,
  managesConversations: boolean,
): boolean {
  if (creatorId === viewer.id) return true
  if (channel.type === 'conversation') return managesConversations && can('DELETE_MESSAGE', viewer)
  return may('DELETE_MESSAGE', viewer, member)
}

export function canClearFlags(viewer: Viewer, member: Member): boolean {
  return may('EDIT_MESSAGE', viewer, member) || may('DELETE_MESSAGE', viewer, member)
}
