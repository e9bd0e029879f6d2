import { now } from '../../platform/clock.ts'
import type { Tx } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import { emit } from '../../kernel/outbox/emit.ts'
import type { EventDefinition } from '../../kernel/outbox/event.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import { actorOf } from './actions.ts'
import {
  channelJoined,
  channelLeft,
  channelMembersAdded,
  channelMembersRemoved,
  type ChannelSubject,
} from './events.ts'
import { adjustMemberCounts, updateMemberships, upsertMembers, type Membership } from './member-store.ts'
import { canJoin, isMember, may } from './policy.ts'
import { lockChannelFor, resolveMembers } from './queries.ts'
import { moderatorRole } from './schema.ts'
import { lockChannels, type ChannelFacts } from './store.ts'

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

/** Leaves. Who is no member is left as they are. Answers the channel's internal id. */
export async function leaveChannel(tx: Tx, viewer: Viewer, channelId: string): Promise<string> {
  const { channel, member } = await lockChannelFor(tx, viewer, channelId)
  if (!isMember(member)) return channel.id
  requireOwnMembers(channel)
  requireOpenMembership(channel)
  await removeFrom(tx, viewer, channel, [viewer.id], { from: ['member'], to: 'none' }, channelLeft)
  return channel.id
}

/** Adds people by public id; members and banned people are left as they are. Answers the channel and who is new. */
export async function addMembers(tx: Tx, viewer: Viewer, channelId: string, userIds: string[]) {
  const { channel, member } = await lockChannelFor(tx, viewer, channelId)
  requireOwnMembers(channel)
  requireOpenMembership(channel)
  if (!may('ADD_CHANNEL_USER', viewer, member)) fail('permissionDenied')
  if (channel.isClosed) fail('forbidden', 'the channel is closed')
  const users = await resolveMembers(tx, userIds)
  const added = await addTo(tx, viewer, channel, users.map((user) => user.id), channelMembersAdded)
  return { id: channel.id, userIds: added }
}

/** Removes people by public id; a ban ends too. Answers the channel and who was concerned. */
export async function removeMembers(tx: Tx, viewer: Viewer, channelId: string, userIds: string[]) {
  const { channel, member } = await lockChannelFor(tx, viewer, channelId)
  requireOwnMembers(channel)
  requireOpenMembership(channel)
  if (!may('REMOVE_CHANNEL_USER', viewer, member)) fail('permissionDenied')
  const users = await resolveMembers(tx, userIds)
  const change = { from: ['member', 'banned'], to: 'none' } as const
  const removed = await removeFrom(tx, viewer, channel, users.map((user) => user.id), change, channelMembersRemoved)
  return { id: channel.id, userIds: removed }
}

/** Makes people (internal ids) members, for whatever keeps a channel's members; checks nothing. */
export async function addChannelMembers(
  tx: Tx,
  viewer: Viewer,
  channelId: string,
  userIds: string[],
  { isModerator = false } = {},
): Promise<void> {
  const channel = await lockOne(tx, channelId)
  const roles = isModerator ? ['member', moderatorRole] : ['member']
  await addTo(tx, viewer, channel, userIds, channelMembersAdded, roles)
}

/** Ends memberships (internal ids), for whatever keeps a channel's members; checks nothing. */
export async function removeChannelMembers(
  tx: Tx,
  viewer: Viewer,
  channelId: string,
  userIds: string[],
): Promise<void> {
  const channel = await lockOne(tx, channelId)
  const change = { from: ['member', 'banned'], to: 'none' } as const
  await removeFrom(tx, viewer, channel, userIds, change, channelMembersRemoved)
}

async function addTo(
  tx: Tx,
  viewer: Viewer,
  channel: ChannelFacts,
  userIds: string[],
  event: EventDefinition<ChannelSubject>,
  roles = ['member'],
): Promise<string[]> {
  const added = await upsertMembers(tx, channel.id, userIds, { roles, at: now(), segment: channel.messageCount })
  if (added.length === 0) return added
  const moderators = roles.includes(moderatorRole) ? added.length : 0
  await adjustMemberCounts(tx, channel.id, { members: added.length, moderators })
  await tell(tx, viewer, channel, added, event)
  return added
}

async function removeFrom(
  tx: Tx,
  viewer: Viewer,
  channel: ChannelFacts,
  userIds: string[],
  change: { from: readonly Membership[]; to: Membership },
  event: EventDefinition<ChannelSubject>,
): Promise<string[]> {
  const former = await updateMemberships(tx, channel.id, userIds, { ...change, at: now() })
  if (former.length === 0) return []
  await adjustMemberCounts(tx, channel.id, {
    members: -former.filter((one) => one.wasMember).length,
    moderators: -former.filter((one) => one.wasModerator).length,
  })
  const changed = former.map((one) => one.userId)
  await tell(tx, viewer, channel, changed, event)
  return changed
}

async function tell(
  tx: Tx,
  viewer: Viewer,
  { id, type }: ChannelFacts,
  userIds: string[],
  event: EventDefinition<ChannelSubject>,
): Promise<void> {
  await emit(tx, event, { actorId: viewer.id, subject: { id, type, userIds, actor: actorOf(viewer) } })
}

async function lockOne(tx: Tx, channelId: string): Promise<ChannelFacts> {
  const [channel] = await lockChannels(tx, [channelId])
  return channel ?? fail('notFound', 'channel')
}

/** A community's channel has the community's members: they change there. */
function requireOwnMembers(channel: ChannelFacts): void {
  if (channel.communityId !== null) fail('forbidden', "the channel's members are those of its community")
}

function requireOpenMembership(channel: ChannelFacts): void {
  if (channel.type === 'conversation') fail('forbidden', 'who is in a conversation is settled when it is made')
}
