import { now } from '../../../platform/clock.ts'
import type { Tx } from '../../../kernel/database.ts'
import { fail } from '../../../kernel/errors.ts'
import { emit } from '../../../kernel/outbox/emit.ts'
import type { EventDefinition } from '../../../kernel/outbox/event.ts'
import type { Viewer } from '../../../kernel/viewer.ts'
import { actorOf, type ChannelSubject } from '../event-forms.ts'
import {
  channelBanned,
  channelJoined,
  channelLeft,
  channelMembersAdded,
  channelMembersRemoved,
  channelUnbanned,
  userBanned,
} from '../events.ts'
import { canJoin, isMember, may } from '../policy.ts'
import { lockChannelFor, resolveMembers } from '../queries.ts'
import { moderatorRole } from '../schema.ts'
import { lockChannels, type ChannelFacts } from '../store.ts'
import {
  adjustMemberCounts,
  insertBanned,
  updateMemberships,
  upsertMembers,
  type FormerMember,
  type Membership,
} from './store.ts'

/** A channel and the members an action concerned, all by internal id. */
export interface Concerned {
  id: string
  userIds: string[]
}

/** Joins. A member stays one. Answers the channel's internal id. */
export async function joinChannel(tx: Tx, viewer: Viewer, channelId: string): Promise<string> {
  const { channel, member } = await lockChannelFor(tx, viewer, channelId)
  if (isMember(member)) return channel.id
  requireOwnMembers(channel)
  if (member?.membership === 'banned') fail('banned')
  if (channel.isClosed || !canJoin(viewer, channel)) fail('forbidden', 'the channel cannot be joined')
  await addTo(tx, viewer, channel, [viewer.id], channelJoined)
  return channel.id
}

/** Leaves. Answers the channel's internal id. */
export async function leaveChannel(tx: Tx, viewer: Viewer, channelId: string): Promise<string> {
  const { channel, member } = await lockChannelFor(tx, viewer, channelId)
  requireOpenMembership(channel)
  if (member?.membership === 'banned') fail('banned')
  if (!isMember(member)) fail('notAMember')
  await endFor(tx, viewer, channel, [viewer.id], { from: ['member'], to: 'none' }, channelLeft)
  return channel.id
}

/** Adds people by public id; members and banned people stay what they are. Answers who is new. */
export async function addMembers(
  tx: Tx,
  viewer: Viewer,
  channelId: string,
  userIds: string[],
): Promise<Concerned> {
  const { channel, member } = await lockChannelFor(tx, viewer, channelId)
  requireOpenMembership(channel)
  if (!may('ADD_CHANNEL_USER', viewer, member)) fail('permissionDenied')
  if (channel.isClosed) fail('forbidden', 'the channel is closed')
  const users = await resolveMembers(tx, userIds)
  const ids = users.map((user) => user.id)
  return { id: channel.id, userIds: await addTo(tx, viewer, channel, ids, channelMembersAdded) }
}

/** Removes people by public id; a ban of theirs ends too. Answers whom. */
export async function removeMembers(
  tx: Tx,
  viewer: Viewer,
  channelId: string,
  userIds: string[],
): Promise<Concerned> {
  const { channel, member } = await lockChannelFor(tx, viewer, channelId)
  requireOpenMembership(channel)
  if (!may('REMOVE_CHANNEL_USER', viewer, member)) fail('permissionDenied')
  const users = await resolveMembers(tx, userIds)
  const ids = users.map((user) => user.id)
  return { id: channel.id, userIds: await endFor(tx, viewer, channel, ids, removal, channelMembersRemoved) }
}

const removal = { from: ['member', 'banned'], to: 'none' } as const

/** Makes people (internal ids) members, for whatever keeps a channel's members; checks nothing. */
export async function addChannelMembers(
  tx: Tx,
  viewer: Viewer,
  channelId: string,
  userIds: string[],
  { isModerator = false } = {},
): Promise<void> {
  const channel = await lockOne(tx, channelId)
  await addTo(tx, viewer, channel, userIds, channelMembersAdded, isModerator ? [moderatorRole] : [])
}

/** Ends memberships and bans (internal ids), for whatever keeps a channel's members; checks nothing. */
export async function removeChannelMembers(
  tx: Tx,
  viewer: Viewer,
  channelId: string,
  userIds: string[],
): Promise<void> {
  await endFor(tx, viewer, await lockOne(tx, channelId), userIds, removal, channelMembersRemoved)
}

/** Bans people (internal ids), members or not; checks nothing. Answers whom that changed. */
export async function banChannelMembers(
  tx: Tx,
  viewer: Viewer,
  channelId: string,
  userIds: string[],
): Promise<string[]> {
  const channel = await lockOne(tx, channelId)
  const at = now()
  const ban = { from: ['none', 'member'], to: 'banned', at } as const
  const former = await updateMemberships(tx, channelId, userIds, ban)
  await uncount(tx, channelId, former)
  const strangers = await insertBanned(tx, channelId, userIds, at)
  const banned = [...former.map((one) => one.userId), ...strangers]
  await tell(tx, viewer, channel, banned, channelBanned)
  for (const userId of banned) await tell(tx, viewer, channel, [userId], userBanned)
  return banned
}

/** Lifts bans (internal ids); checks nothing. Answers whose. */
export async function unbanChannelMembers(
  tx: Tx,
  viewer: Viewer,
  channelId: string,
  userIds: string[],
): Promise<string[]> {
  const channel = await lockOne(tx, channelId)
  return endFor(tx, viewer, channel, userIds, { from: ['banned'], to: 'none' }, channelUnbanned)
}

async function addTo(
  tx: Tx,
  viewer: Viewer,
  channel: ChannelFacts,
  userIds: string[],
  event: EventDefinition<ChannelSubject>,
  roles: string[] = [],
): Promise<string[]> {
  const added = await upsertMembers(tx, channel.id, userIds, {
    roles,
    at: now(),
    segment: channel.messageCount,
  })
  const moderators = roles.includes(moderatorRole) ? added.length : 0
  await adjustMemberCounts(tx, channel.id, { members: added.length, moderators })
  await tell(tx, viewer, channel, added, event)
  return added
}

async function endFor(
  tx: Tx,
  viewer: Viewer,
  channel: ChannelFacts,
  userIds: string[],
  change: { from: readonly Membership[]; to: Membership },
  event: EventDefinition<ChannelSubject>,
): Promise<string[]> {
  const former = await updateMemberships(tx, channel.id, userIds, { ...change, at: now() })
  await uncount(tx, channel.id, former)
  const ended = former.map((one) => one.userId)
  await tell(tx, viewer, channel, ended, event)
  return ended
}

async function uncount(tx: Tx, channelId: string, former: FormerMember[]): Promise<void> {
  await adjustMemberCounts(tx, channelId, {
    members: -former.filter((one) => one.wasMember).length,
    moderators: -former.filter((one) => one.wasModerator).length,
  })
}

async function tell(
  tx: Tx,
  viewer: Viewer,
  { id, channelId, type }: ChannelFacts,
  userIds: string[],
  event: EventDefinition<ChannelSubject>,
): Promise<void> {
  if (userIds.length === 0) return
  await emit(tx, event, {
    actorId: viewer.id,
    subject: { id, channelId, type, userIds, actor: actorOf(viewer) },
  })
}

async function lockOne(tx: Tx, channelId: string): Promise<ChannelFacts> {
  const [channel] = await lockChannels(tx, [channelId])
  return channel ?? fail('notFound', 'channel')
}

/** A community's channel has the community's members: they change there. */
export function requireOwnMembers(channel: ChannelFacts): void {
  if (channel.communityId !== null) fail('forbidden', "the channel's members are those of its community")
}

function requireOpenMembership(channel: ChannelFacts): void {
  requireOwnMembers(channel)
  if (channel.type === 'conversation')
    fail('forbidden', 'who is in a conversation is settled when it is made')
}
