import { now } from '../../../platform/clock.ts'
import { newId } from '../../../platform/ids.ts'
import type { Tx } from '../../../kernel/database.ts'
import { fail } from '../../../kernel/errors.ts'
import { emit } from '../../../kernel/outbox/emit.ts'
import type { Viewer } from '../../../kernel/viewer.ts'
import { resolveUserIds } from '../../users/index.ts'
import { lockJoinableCommunity, lockManagedCommunity } from '../access.ts'
import { joinRequestCreated } from '../events.ts'
import { admit } from '../members/changes.ts'
import { isMember, joinsBy } from '../policy.ts'
import type { CommunityRow } from '../store.ts'
import { answerJoinRequests } from './answer.ts'
import { closeJoinRequests, findLatestJoinRequest, insertJoinRequest } from './store.ts'

/**
 * Makes the viewer a member, or, where members are let in by approval, leaves a request. Doing it twice changes
 * nothing. Answers the community id.
 */
export async function joinCommunity(tx: Tx, viewer: Viewer, communityId: string): Promise<string> {
  const { community, membership } = await lockJoinableCommunity(tx, viewer, communityId)
  if (membership?.membership === 'banned') fail('banned')
  if (isMember(membership)) return community.id
  if (joinsBy(viewer, community, membership) === 'asking') await askToJoin(tx, viewer, community)
  else await admit(tx, viewer, community, [viewer.id], 'joined')
  return community.id
}

/** As `joinCommunity`, but answers the id of a request that says what came of it: `approved` or `pending`. */
export async function requestToJoin(tx: Tx, viewer: Viewer, communityId: string): Promise<string> {
  const id = await joinCommunity(tx, viewer, communityId)
  const latest = await findLatestJoinRequest(tx, id, viewer.id)
  if (latest?.status === 'pending' || latest?.status === 'approved') return latest.id
  const at = now()
  return insertRequest(tx, id, viewer.id, {
    status: 'approved',
    respondedAt: at,
    createdAt: at,
    updatedAt: at,
  })
}

/** Lets a requester in. Fails with `notFound` when there is no open request: answered or cancelled just before. */
export async function approveJoinRequest(
  tx: Tx,
  viewer: Viewer,
  communityId: string,
  userId: string,
): Promise<void> {
  const { community } = await lockManagedCommunity(tx, viewer, communityId, 'ADD_COMMUNITY_USER')
  const requestor = await answer(tx, viewer, community, userId, 'approved')
  await admit(tx, viewer, community, [requestor], 'approved')
}

/** Turns a requester away. They may ask again. */
export async function rejectJoinRequest(
  tx: Tx,
  viewer: Viewer,
  communityId: string,
  userId: string,
): Promise<void> {
  const { community } = await lockManagedCommunity(tx, viewer, communityId, 'ADD_COMMUNITY_USER')
  await answer(tx, viewer, community, userId, 'rejected')
}

/** Takes the viewer's own open request back. */
export async function cancelJoinRequest(tx: Tx, viewer: Viewer, communityId: string): Promise<void> {
  const closing = { status: 'cancelled', responderId: null, at: now() } as const
  const cancelled = await closeJoinRequests(tx, communityId, [viewer.id], closing)
  if (cancelled.length === 0) fail('notFound', 'no open join request')
}

async function askToJoin(tx: Tx, viewer: Viewer, community: CommunityRow): Promise<void> {
  const latest = await findLatestJoinRequest(tx, community.id, viewer.id)
  if (latest?.status === 'pending') return
  const at = now()
  const id = await insertRequest(tx, community.id, viewer.id, {
    status: 'pending',
    createdAt: at,
    updatedAt: at,
  })
  await emit(tx, joinRequestCreated, {
    actorId: viewer.id,
    subject: { id, communityId: community.id, userId: viewer.id, status: 'pending' },
  })
}

async function insertRequest(
  tx: Tx,
  communityId: string,
  userId: string,
  rest: Omit<Parameters<typeof insertJoinRequest>[1], 'id' | 'communityId' | 'userId'>,
): Promise<string> {
  const id = newId()
  await insertJoinRequest(tx, { ...rest, id, communityId, userId })
  return id
}

/** Closes the open request of somebody named by internal or public id. Answers their internal id. */
async function answer(
  tx: Tx,
  viewer: Viewer,
  community: CommunityRow,
  userId: string,
  status: 'approved' | 'rejected',
): Promise<string> {
  for (const id of [userId, ...(await resolveUserIds(tx, [userId]))]) {
    const [requestor] = await answerJoinRequests(tx, community.id, [id], { status, responderId: viewer.id })
    if (requestor !== undefined) return requestor
  }
  return fail('notFound', 'no open join request')
}
