import type { Tx } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import {
  banChannelMembers,
  isExemptFromBan,
  lockChannelFor,
  may,
  requireModerated,
  requireOwnMembers,
  resolveMembers,
  unbanChannelMembers,
  type ChannelFacts,
  type Concerned,
} from '../channels/index.ts'
import { deleteMessagesOf } from '../messages/index.ts'
import { findUsersById } from '../users/index.ts'

/** What else follows when people (internal ids) are banned from a channel (internal id), or no longer are. */
export interface BanFollower {
  changed(tx: Tx, viewer: Viewer, channelId: string, userIds: string[], isBan: boolean): Promise<void>
}

/** Bans people (public ids): they leave, cannot come back, and what they said is deleted. Answers whom. */
export async function banMembers(
  tx: Tx,
  viewer: Viewer,
  channelId: string,
  userIds: string[],
  followers: BanFollower[],
): Promise<Concerned> {
  const channel = await lockForBans(tx, viewer, channelId)
  const users = await resolveMembers(tx, userIds)
  const ids = users.map((user) => user.id)
  if (ids.includes(viewer.id)) fail('badRequest', 'nobody bans themselves')
  for (const user of await findUsersById(tx, ids))
    if (isExemptFromBan(user)) fail('exemptFromBan', user.userId)
  await banFromChannel(tx, viewer, channel.id, ids)
  for (const follower of followers) await follower.changed(tx, viewer, channel.id, ids, true)
  return { id: channel.id, userIds: ids }
}

/** Lifts bans (public ids). Nobody becomes a member by it, and no message comes back. Answers whose. */
export async function unbanMembers(
  tx: Tx,
  viewer: Viewer,
  channelId: string,
  userIds: string[],
  followers: BanFollower[],
): Promise<Concerned> {
  const channel = await lockForBans(tx, viewer, channelId)
  const users = await resolveMembers(tx, userIds)
  const ids = users.map((user) => user.id)
  const lifted = await unbanChannelMembers(tx, viewer, channel.id, ids)
  for (const follower of followers) await follower.changed(tx, viewer, channel.id, lifted, false)
  return { id: channel.id, userIds: ids }
}

/** Bans people (internal ids) for whatever keeps a channel's members; checks nothing. */
export async function banFromChannel(
  tx: Tx,
  viewer: Viewer,
  channelId: string,
  userIds: string[],
): Promise<void> {
  const banned = await banChannelMembers(tx, viewer, channelId, userIds)
  await deleteMessagesOf(tx, viewer, channelId, banned)
}

async function lockForBans(tx: Tx, viewer: Viewer, channelId: string): Promise<ChannelFacts> {
  const { channel, member } = await lockChannelFor(tx, viewer, channelId)
  requireModerated(channel)
  requireOwnMembers(channel)
  if (!may('BAN_CHANNEL_USER', viewer, member) && !may('BAN_USER_FROM_CHANNEL', viewer, member))
    fail('permissionDenied')
  return channel
}
