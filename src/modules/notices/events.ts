import type { DispatchedEvent } from '../../kernel/outbox/dispatcher.ts'
import { happened, plain } from './happened.ts'
import type { Notice } from './notice.ts'
import type { EventFacts } from './store.ts'

/** The members of a community hear of its new event; those who are going, that it starts soon, and that it has started. */
export function eventNotices(
  event: DispatchedEvent,
  { id, hostId, communityId, discussionCommunityId, isSilent }: EventFacts,
): Notice[] {
  const isNew = event.name === 'event.created'
  const { startTime } = event.subject as { startTime?: string }
  if (isNew && (communityId === null || isSilent)) return []
  // Whoever is going is in the community made for the event, which therefore stands for them.
  const audience = { type: 'community', id: isNew ? communityId! : discussionCommunityId } as const
  const notice: Notice = {
    ...happened(event),
    ...plain,
    actorId: hostId,
    kind: isNew ? 'event_created' : startTime === undefined ? 'event_started' : 'event_reminder',
    audience,
    target: { type: 'community', id: communityId ?? discussionCommunityId },
    // A reminder is of one start: it is void once the event is moved.
    subjectId: startTime === undefined ? id : `${id}:${Date.parse(startTime)}`,
    act: { type: 'event', id },
    reference: { type: 'event', id },
    actionReferenceId: id,
  }
  return [notice]
}

export interface CoHostInviteSubject {
  roomId: string
  invitationIds: string[]
  /** Internal ids, in the order of the invitations. */
  userIds: string[]
}

/** Who is asked onto the stage of a room. */
export function coHostInviteNotices(event: DispatchedEvent, subject: CoHostInviteSubject): Notice[] {
  const { roomId, invitationIds, userIds } = subject
  return invitationIds.map((id, i) => ({
    ...happened(event),
    ...plain,
    kind: 'room_cohost_invite',
    audience: { type: 'user', id: userIds[i]! },
    target: { type: 'room', id: roomId },
    subjectId: roomId,
    act: { type: 'invitation', id },
    actionReferenceId: roomId,
  }))
}
