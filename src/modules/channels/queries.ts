import type { Db, Tx } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import { findUsersByPublicId } from '../users/index.ts'
import { findMembers, type ChannelMemberRow } from './member-store.ts'
import { canSeeChannel } from './policy.ts'
import { findChannelFacts, lockChannels, type ChannelFacts } from './store.ts'

export interface ChannelForViewer {
  channel: ChannelFacts
  /** The viewer's own membership. */
  member: ChannelMemberRow | undefined
}

type IdKind = 'public' | 'internal'

/** A channel by internal id. */
export async function findChannel(db: Db, id: string): Promise<ChannelFacts | undefined> {
  return (await findChannelFacts(db, [id], 'internal'))[0]
}

/** The internal id behind a public one. */
export async function findChannelId(db: Db, channelId: string): Promise<string | undefined> {
  return (await findChannelFacts(db, [channelId], 'public'))[0]?.id
}

/** Channels by internal id, in no order. */
export async function findChannels(db: Db, ids: string[]): Promise<ChannelFacts[]> {
  return findChannelFacts(db, ids, 'internal')
}

/** One membership, by internal ids. */
export async function findChannelMembership(
  db: Db,
  channelId: string,
  userId: string,
): Promise<ChannelMemberRow | undefined> {
  return (await findMembers(db, [{ channelId, userId }]))[0]
}

/** A channel the viewer may see, with their membership. Fails with `notFound` otherwise. */
export async function requireVisibleChannel(
  db: Db,
  viewer: Viewer,
  channelId: string,
  kind: IdKind = 'public',
): Promise<ChannelForViewer> {
  const [channel] = await findChannelFacts(db, [channelId], kind)
  return visible(db, viewer, channel)
}

/** Locks a channel the viewer may see and that is not deleted. Fails with `notFound` otherwise. */
export async function lockChannelFor(
  tx: Tx,
  viewer: Viewer,
  channelId: string,
  kind: IdKind = 'public',
): Promise<ChannelForViewer> {
  const [channel] = await lockChannels(tx, [channelId], kind)
  if (channel?.isDeleted) fail('notFound', 'channel')
  return visible(tx, viewer, channel)
}

async function visible(db: Db, viewer: Viewer, channel: ChannelFacts | undefined): Promise<ChannelForViewer> {
  if (!channel) return fail('notFound', 'channel')
  const member = await findChannelMembership(db, channel.id, viewer.id)
  if (!canSeeChannel(viewer, channel, member)) fail('notFound', 'channel')
  return { channel, member }
}

/** The internal ids of the channels named that the viewer may see, in the order asked. */
export async function listVisibleChannels(db: Db, viewer: Viewer, channelIds: string[]): Promise<string[]> {
  const channels = await findChannelFacts(db, channelIds, 'public')
  const members = await findMembers(
    db,
    channels.map(({ id }) => ({ channelId: id, userId: viewer.id })),
  )
  const memberOf = new Map(members.map((member) => [member.channelId, member]))
  const byPublicId = new Map(channels.map((channel) => [channel.channelId, channel]))
  return [...new Set(channelIds)].flatMap((channelId) => {
    const channel = byPublicId.get(channelId)
    return channel && canSeeChannel(viewer, channel, memberOf.get(channel.id)) ? [channel.id] : []
  })
}

/** People named by public id, none of them unknown or deleted. Fails with `notFound`, naming those. */
export async function resolveMembers(db: Db, userIds: string[]): Promise<{ id: string; userId: string }[]> {
  if (userIds.length === 0) return []
  const users = await findUsersByPublicId(db, userIds)
  const known = new Set(users.filter((user) => !user.isDeleted).map((user) => user.userId))
  const unknown = userIds.filter((userId) => !known.has(userId))
  if (unknown.length > 0) fail('notFound', ...unknown.map((userId) => `user ${userId}`))
  return users
}
