import type { DispatchedEvent } from '../../kernel/outbox/dispatcher.ts'
import { happened, others, plain } from './happened.ts'
import type { ActType, Notice, NoticeKind } from './notice.ts'

export interface FollowSubject {
  /** Internal ids: who follows whom. */
  from: string
  to: string
}

const followKinds: Record<string, { kind: NoticeKind; act: ActType; tells: 'from' | 'to' }> = {
  'follow.created': { kind: 'follow', act: 'follow', tells: 'to' },
  'follow.requested': { kind: 'follow_request', act: 'followRequest', tells: 'to' },
  'follow.accepted': { kind: 'follow_accepted', act: 'followAcceptance', tells: 'from' },
}

/** Who is followed, and whose request was accepted. */
export function followNotices(event: DispatchedEvent, { from, to }: FollowSubject): Notice[] {
  const told = followKinds[event.name]
  if (!told) return []
  const id = told.tells === 'to' ? to : from
  const actorId = told.tells === 'to' ? from : to
  const notice: Notice = {
    ...happened(event),
    ...plain,
    actorId,
    kind: told.kind,
    audience: { type: 'user', id },
    target: { type: 'user', id },
    subjectId: id,
    act: { type: told.act, id: `${from}:${to}` },
  }
  return [notice]
}

export interface JoinRequestSubject {
  id: string
  communityId: string
  /** The requester's internal id. */
  userId: string
  status: 'pending' | 'approved' | 'rejected'
}

/** Those who let people in hear of a wish to join; whose wish it was, of what came of it. */
export function joinRequestNotices(
  event: DispatchedEvent,
  { id, communityId, userId, status }: JoinRequestSubject,
  doorkeepers: string[],
): Notice[] {
  const isPending = status === 'pending'
  return others(event, isPending ? doorkeepers : [userId]).map((told) => ({
    ...happened(event),
    ...plain,
    kind: isPending ? 'join_request' : 'respond_on_join_request',
    audience: { type: 'user', id: told },
    target: { type: 'community', id: communityId },
    // Answers are told one by one: they differ.
    subjectId: isPending ? communityId : id,
    act: { type: isPending ? 'joinRequest' : 'joinResponse', id },
  }))
}
