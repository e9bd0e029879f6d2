import { now } from '../../platform/clock.ts'
import type { Tx } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import { emit } from '../../kernel/outbox/emit.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import { findRoles } from '../roles/index.ts'
import { actorOf } from './event-forms.ts'
import { channelMembersMuted, channelMuted, channelUpdated } from './events.ts'
import type { Concerned } from './members/actions.ts'
import { adjustMemberCounts, changeRole, muteMemberRows } from './members/store.ts'
import { canGrantRole, may } from './policy.ts'
import { lockChannelFor, resolveMembers, type ChannelForViewer } from './queries.ts'
import { moderatorRole, type RateLimitBody } from './schema.ts'
import { updateChannelRow, type ChannelFacts } from './store.ts'

/** The year 9999 stands for ever. */
export const forever = new Date('9999-12-31T23:59:59.999Z')

/** When a period (ms) that begins now ends: -1 never, 0 at once. */
function endOf(period: number): Date | null {
  if (period === 0) return null
  if (period === -1) return forever
  return new Date(Math.min(now().getTime() + period, forever.getTime()))
}

/** In conversations and broadcasts nobody moderates anybody: who may write is settled by their type. */
export function requireModerated(channel: ChannelFacts): void {
  if (channel.type === 'conversation' || channel.type === 'broadcast')
    fail('forbidden', `members of a ${channel.type} channel are not moderated`)
}

/** Lets only moderators write for a period in ms, -1 for ever, 0 to end it. */
export async function muteChannel(
  tx: Tx,
  viewer: Viewer,
  channelId: string,
  mutePeriod: number,
): Promise<void> {
  const { channel, member } = await lockChannelFor(tx, viewer, channelId)
  requireModerated(channel)
  if (!may('MUTE_CHANNEL', viewer, member)) fail('permissionDenied')
  const muteTimeout = endOf(mutePeriod)
  const at = now()
  await updateChannelRow(tx, channel.id, { muteTimeout, updatedAt: at })
  await emit(tx, channelMuted, {
    actorId: viewer.id,
    subject: { ...subjectOf(channel, viewer), muteTimeout: (muteTimeout ?? at).toISOString() },
  })
}

/** Silences members (public ids) for a period in ms, -1 for ever, 0 to end it. */
export async function muteMembers(
  tx: Tx,
  viewer: Viewer,
  channelId: string,
  userIds: string[],
  mutePeriod: number,
): Promise<void> {
  const { channel, member } = await lockChannelFor(tx, viewer, channelId)
  requireModerated(channel)
  if (!may('MUTE_CHANNEL_USER', viewer, member) && !may('MUTE_USER_INSIDE_CHANNEL', viewer, member))
    fail('permissionDenied')
  const users = await resolveMembers(tx, userIds)
  const muteTimeout = endOf(mutePeriod)
  const at = now()
  const muted = await muteMemberRows(
    tx,
    channel.id,
    users.map((user) => user.id),
    muteTimeout,
    at,
  )
  if (muted.length === 0) fail('notFound', 'none of the users is a member')
  await emit(tx, channelMembersMuted, {
    actorId: viewer.id,
    subject: {
      ...subjectOf(channel, viewer),
      muteTimeout: (muteTimeout ?? at).toISOString(),
      userIds: muted,
      userPublicIds: users.filter((user) => muted.includes(user.id)).map((user) => user.userId),
    },
  })
}

/** Slow mode: so many messages a member in so many ms, for a period; 0 ends it. Answers the channel's internal id. */
export async function setRateLimit(
  tx: Tx,
  viewer: Viewer,
  channelId: string,
  { period, rateLimit = 0, rateLimitWindow = 0 }: RateLimitBody,
): Promise<string> {
  const { channel, member } = await lockChannelFor(tx, viewer, channelId)
  requireModerated(channel)
  if (!may('EDIT_CHANNEL_RATELIMIT', viewer, member)) fail('permissionDenied')
  if (period !== 0 && (rateLimit === 0 || rateLimitWindow === 0))
    fail('invalid', 'rateLimit and rateLimitWindow are needed')
  await updateChannelRow(tx, channel.id, {
    rateLimit: period === 0 ? 0 : rateLimit,
    rateLimitWindow: period === 0 ? 0 : rateLimitWindow,
    rateLimitTimeout: endOf(period),
    updatedAt: now(),
  })
  await emit(tx, channelUpdated, { actorId: viewer.id, subject: subjectOf(channel, viewer) })
  return channel.id
}

/** Gives members (public ids) a role, or takes it from them. Answers whom that changed. */
export async function changeMembersRole(
  tx: Tx,
  viewer: Viewer,
  channelId: string,
  userIds: string[],
  change: { add: string } | { remove: string },
): Promise<Concerned> {
  const { channel, member } = await lockChannelFor(tx, viewer, channelId)
  requireModerated(channel)
  await requireGrant(tx, viewer, member, 'add' in change ? change.add : change.remove)
  const users = await resolveMembers(tx, userIds)
  return {
    id: channel.id,
    userIds: await applyRole(
      tx,
      viewer,
      channel,
      users.map((user) => user.id),
      change,
    ),
  }
}

/** Gives or takes a role of members (internal ids); checks nothing. Answers whom that changed. */
export async function applyRole(
  tx: Tx,
  viewer: Viewer,
  channel: ChannelFacts,
  userIds: string[],
  change: { add: string } | { remove: string },
): Promise<string[]> {
  const changed = await changeRole(tx, channel.id, userIds, change, now())
  if (changed.length === 0) return changed
  if (Object.values(change).includes(moderatorRole)) {
    const moderators = 'add' in change ? changed.length : -changed.length
    await adjustMemberCounts(tx, channel.id, { members: 0, moderators })
  }
  await emit(tx, channelUpdated, {
    actorId: viewer.id,
    subject: { ...subjectOf(channel, viewer), userIds: changed },
  })
  return changed
}

async function requireGrant(
  tx: Tx,
  viewer: Viewer,
  member: ChannelForViewer['member'],
  roleId: string,
): Promise<void> {
  if (!may('ASSIGN_CHANNEL_USER_ROLE', viewer, member)) fail('permissionDenied')
  const [role] = await findRoles(tx, [roleId])
  if (!role || role.isDeleted) return fail('notFound', `role ${roleId}`)
  if (!canGrantRole(viewer, member, role))
    fail('permissionDenied', 'the role holds permissions that you lack')
}

function subjectOf({ id, channelId, type }: ChannelFacts, viewer: Viewer) {
  return { id, channelId, type, actor: actorOf(viewer) }
}
