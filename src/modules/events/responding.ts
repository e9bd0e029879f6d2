import { now } from '../../platform/clock.ts'
import type { Tx } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import { emit } from '../../kernel/outbox/emit.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import { joinEventCommunity, requireMember } from '../communities/index.ts'
import { lockVisible } from './actions.ts'
import { rsvpCreated, rsvpUpdated } from './events.ts'
import { statusOf } from './policy.ts'
import { findResponse, responseId, upsertResponse } from './response-store.ts'
import type { ResponseStatus } from './schema.ts'
import { addToRsvpCount, type EventRow } from './store.ts'
import { subjectOf } from './subject.ts'

/**
 * Says whether the viewer is going, until the event starts: members of its community, or whoever reads a person's page.
 * Who is going takes part in the event's discussion. With `isChange` an answer must be there. Answers its `responseId`.
 */
export async function respond(
  tx: Tx,
  viewer: Viewer,
  eventId: string,
  status: ResponseStatus,
  { isChange }: { isChange: boolean },
): Promise<string> {
  const event = await lockVisible(tx, viewer, eventId)
  if (event.originType === 'community') await requireMember(tx, viewer, event.originId)
  if (isChange && !(await findResponse(tx, eventId, viewer.id))) fail('notFound', 'no answer to change')
  const eventStatus = statusOf(event, now())
  if (eventStatus !== 'scheduled') fail('conflict', `Cannot update RSVP for ${eventStatus} events`)
  const isNew = await setResponse(tx, viewer, event, viewer.id, status)
  if (isNew && status === 'going') await joinEventCommunity(tx, viewer, event.discussionCommunityId)
  return responseId({ eventId, userId: viewer.id })
}

/** Writes and counts somebody's answer to a locked event, whoever may; false when it was the same before. */
export async function setResponse(
  tx: Tx,
  viewer: Viewer,
  event: EventRow,
  userId: string,
  status: ResponseStatus,
): Promise<boolean> {
  const key = { eventId: event.id, userId }
  const before = await findResponse(tx, event.id, userId)
  if (before?.status === status) return false
  await upsertResponse(tx, key, status, now())
  const delta = Number(status === 'going') - Number(before?.status === 'going')
  if (delta !== 0) await addToRsvpCount(tx, event.id, delta)
  await emit(tx, before ? rsvpUpdated : rsvpCreated, {
    actorId: viewer.id,
    subject: { ...subjectOf(event), responseId: responseId(key) },
  })
  return true
}
