import { now } from '../../platform/clock.ts'
import type { Tx } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import { emit } from '../../kernel/outbox/emit.ts'
import type { EventDefinition } from '../../kernel/outbox/event.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import { readSettings } from '../network-settings/index.ts'
import { findUserByPublicId, type UserRow } from '../users/index.ts'
import {
  followAccepted,
  followCreated,
  followEnded,
  followerDeleted,
  followRequestCanceled,
  followRequestDeclined,
  followRequested,
  userBlocked,
  type FollowSubject,
} from './events.ts'
import { pairId, type Pair } from './pair.ts'
import { canBeBlocked } from './policy.ts'
import type { FollowStatus } from './schema.ts'
import {
  addToFollowCounts,
  deleteBlock,
  findStatus,
  insertBlock,
  isBlockedEitherWay,
  lockRelations,
  upsertFollow,
} from './store.ts'

/**
 * Follows a user, or asks to where the network wants that. Following twice changes nothing; asking again after the
 * network stopped to want requests follows. Answers the relation's id.
 */
export async function follow(tx: Tx, viewer: Viewer, userId: string): Promise<string> {
  const pair = { from: viewer.id, to: (await requireOther(tx, viewer, userId)).id }
  await lockRelations(tx, [pair.from, pair.to])
  if (await isBlockedEitherWay(tx, pair.from, pair.to)) fail('forbidden', 'one of the two blocked the other')
  const { isFollowWithRequestEnabled } = await readSettings(tx, 'social')
  const status = await findStatus(tx, pair)
  if (status === 'accepted' || (status === 'pending' && isFollowWithRequestEnabled)) return pairId(pair)
  if (isFollowWithRequestEnabled) await change(tx, viewer, pair, 'pending', followRequested)
  else await change(tx, viewer, pair, 'accepted', status === 'pending' ? followAccepted : followCreated)
  return pairId(pair)
}

/** Stops following, or takes back the request to. Fails with `notFound` when there was neither. */
export async function unfollow(tx: Tx, viewer: Viewer, userId: string): Promise<string> {
  const pair = { from: viewer.id, to: (await requireKnown(tx, userId)).id }
  return end(tx, viewer, pair, { pending: followRequestCanceled, accepted: followEnded })
}

/** Lets somebody follow who asked to. Fails with `notFound` when nobody did. */
export async function acceptFollower(tx: Tx, viewer: Viewer, userId: string): Promise<string> {
  const pair = { from: (await requireKnown(tx, userId)).id, to: viewer.id }
  await lockRelations(tx, [pair.from, pair.to])
  const status = await findStatus(tx, pair)
  if (status === 'none') fail('notFound', 'request')
  if (status === 'pending') await change(tx, viewer, pair, 'accepted', followAccepted)
  return pairId(pair)
}

/** Declines a request, or removes a follower. Fails with `notFound` when there was neither. */
export async function removeFollower(tx: Tx, viewer: Viewer, userId: string): Promise<string> {
  const pair = { from: (await requireKnown(tx, userId)).id, to: viewer.id }
  return end(tx, viewer, pair, { pending: followRequestDeclined, accepted: followerDeleted })
}

/** Blocks a user: ends what there was between the two, both ways. Blocking twice changes nothing. */
export async function blockUser(tx: Tx, viewer: Viewer, userId: string): Promise<Pair> {
  const user = await requireOther(tx, viewer, userId)
  if (!canBeBlocked(user)) fail('forbidden', 'admins cannot be blocked')
  const pair = { from: viewer.id, to: user.id }
  await lockRelations(tx, [pair.from, pair.to])
  if (!(await insertBlock(tx, { fromUserId: pair.from, toUserId: pair.to, createdAt: now() }))) return pair
  const back = { from: pair.to, to: pair.from }
  await endIfAny(tx, viewer, pair, { pending: followRequestCanceled, accepted: followEnded })
  await endIfAny(tx, viewer, back, { pending: followRequestDeclined, accepted: followerDeleted })
  await emit(tx, userBlocked, { actorId: viewer.id, subject: pair })
  return pair
}

/** Ends a block; brings nothing back. Fails with `notFound` when there was none. */
export async function unblockUser(tx: Tx, viewer: Viewer, userId: string): Promise<Pair> {
  const pair = { from: viewer.id, to: (await requireKnown(tx, userId)).id }
  await lockRelations(tx, [pair.from, pair.to])
  if (!(await deleteBlock(tx, pair))) fail('notFound', 'block')
  return pair
}

type EndEvents = Record<'pending' | 'accepted', EventDefinition<FollowSubject>>

async function end(tx: Tx, viewer: Viewer, pair: Pair, events: EndEvents): Promise<string> {
  await lockRelations(tx, [pair.from, pair.to])
  if (!(await endIfAny(tx, viewer, pair, events))) fail('notFound', 'relation')
  return pairId(pair)
}

async function endIfAny(tx: Tx, viewer: Viewer, pair: Pair, events: EndEvents): Promise<boolean> {
  const status = await findStatus(tx, pair)
  if (status === 'none') return false
  await change(tx, viewer, pair, 'none', events[status])
  return true
}

// The pair is locked.
async function change(
  tx: Tx,
  viewer: Viewer,
  { from, to }: Pair,
  status: FollowStatus,
  event: EventDefinition<FollowSubject>,
): Promise<void> {
  const before = await findStatus(tx, { from, to })
  const at = now()
  await upsertFollow(tx, { fromUserId: from, toUserId: to, status, createdAt: at, updatedAt: at })
  const accepted = Number(status === 'accepted') - Number(before === 'accepted')
  const pending = Number(status === 'pending') - Number(before === 'pending')
  await addToFollowCounts(tx, to, { followerCount: accepted, pendingCount: pending })
  await addToFollowCounts(tx, from, { followingCount: accepted })
  await emit(tx, event, { actorId: viewer.id, subject: { from, to, status } })
}

async function requireKnown(tx: Tx, userId: string): Promise<UserRow> {
  return (await findUserByPublicId(tx, userId)) ?? fail('notFound')
}

async function requireOther(tx: Tx, viewer: Viewer, userId: string): Promise<UserRow> {
  const user = await requireKnown(tx, userId)
  if (user.isDeleted || user.isGlobalBan) fail('notFound')
  if (user.id === viewer.id) fail('badRequest', 'nobody follows or blocks themselves')
  return user
}
