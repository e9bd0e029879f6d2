import { now } from '../../platform/clock.ts'
import { newId } from '../../platform/ids.ts'
import type { Tx } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import { emit } from '../../kernel/outbox/emit.ts'
import { can } from '../../kernel/permissions.ts'
import { jsonBytes } from '../../kernel/schema.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import {
  createCommunity,
  deleteEventCommunity,
  findMembership,
  requireReadableCommunity,
} from '../communities/index.ts'
import { requireFile } from '../files/index.ts'
import { requireAllowedText } from '../moderation/index.ts'
import { arePagesPrivate } from '../places/index.ts'
import { eventCancelled, eventCreated, eventDeleted, eventUpdated } from './events.ts'
import type { EventOptions } from './livestream.ts'
import { canCreateEvent, canDeleteEvent, canEditEvent, statusOf } from './policy.ts'
import { requireVisible } from './queries.ts'
import type { CreateEventBody, UpdateEventBody } from './schema.ts'
import { insertEvent, lockEvent, updateEvent, type EventRow } from './store.ts'
import { subjectOf } from './subject.ts'
import { reminderTime, wakeUpFor } from './timely.ts'

const maxMetadataBytes = 20_000
/** How long an event lasts whose end nobody gave. */
const defaultLengthMs = 60 * 60 * 1000

/** Makes an event of a community or of the viewer's own, and the community to talk about it. Answers its id. */
export async function createEvent(
  tx: Tx,
  viewer: Viewer,
  body: CreateEventBody,
  { reminderMs, openLivestream }: EventOptions,
): Promise<string> {
  const { title, description = '', type, coverImageFileId = null, externalUrl } = body
  await requireContent(tx, viewer, body, false)
  const startTime = new Date(body.startTime)
  const endTime = body.endTime ? new Date(body.endTime) : new Date(startTime.getTime() + defaultLengthMs)
  const at = now()
  requireTimes(startTime, endTime)
  if (endTime <= at) fail('badRequest', 'the event would be over')
  const isHeldHere = type === 'virtual' && !externalUrl && openLivestream !== undefined
  const origin = await requireOrigin(tx, viewer, body, isHeldHere)
  const id = newId()
  const discussionCommunityId = await createCommunity(
    tx,
    viewer,
    { displayName: title, description, isPublic: origin.isPublic, avatarFileId: coverImageFileId },
    id,
  )
  const staged = { title, description, coverImageFileId, discussionCommunityId }
  const remindAt = reminderTime(startTime, reminderMs)
  const times = {
    startTime,
    // There is nobody yet to remind at once.
    remindAt: remindAt !== null && remindAt > at ? remindAt : null,
    isStartTold: false,
  }
  await insertEvent(tx, {
    ...fieldsOf(body),
    ...staged,
    ...times,
    id,
    type,
    userId: viewer.id,
    originType: body.originType,
    originId: origin.id,
    postId: isHeldHere ? await openLivestream(tx, viewer, staged) : null,
    endTime,
    createdAt: at,
    updatedAt: at,
  })
  await wakeUpFor(tx, { id, ...times })
  const subject = subjectOf({ id, originType: body.originType, originId: origin.id })
  await emit(tx, eventCreated, { actorId: viewer.id, subject })
  return id
}

async function requireOrigin(
  tx: Tx,
  viewer: Viewer,
  { originType, originId }: CreateEventBody,
  isHeldHere: boolean,
): Promise<{ id: string; isPublic: boolean }> {
  if (originType === 'user') {
    if (originId !== viewer.userId) fail('permissionDenied', "another's page")
    return { id: viewer.id, isPublic: !(await arePagesPrivate(tx)) }
  }
  const { community, membership } = await requireReadableCommunity(tx, viewer, originId)
  if (membership?.membership === 'banned') fail('banned')
  if (!canCreateEvent(viewer, membership)) fail('permissionDenied', 'CREATE_EVENT')
  if (isHeldHere && !can('CREATE_EVENT_WITH_LIVESTREAM', viewer, membership)) {
    fail('permissionDenied', 'CREATE_EVENT_WITH_LIVESTREAM')
  }
  return community
}

/** Changes what is given, or calls the event off, until it is over. Answers its id. */
export async function editEvent(
  tx: Tx,
  viewer: Viewer,
  id: string,
  body: UpdateEventBody,
  { reminderMs }: EventOptions,
): Promise<string> {
  await requireContent(tx, viewer, body, true)
  const event = await lockVisible(tx, viewer, id)
  if (!canEditEvent(viewer, event, await membershipIn(tx, viewer, event))) fail('permissionDenied')
  const at = now()
  const status = statusOf(event, at)
  if (status === 'ended' || status === 'cancelled') fail('conflict', `the event is ${status}`)
  const startTime = body.startTime ? new Date(body.startTime) : event.startTime
  const endTime = body.endTime ? new Date(body.endTime) : event.endTime
  const isMoved = startTime.getTime() !== event.startTime.getTime()
  if (status === 'live' && isMoved) fail('conflict', 'the event has started')
  requireTimes(startTime, endTime)
  const times = { startTime, ...(isMoved && { remindAt: reminderTime(startTime, reminderMs) }) }
  await updateEvent(tx, id, { ...fieldsOf(body), ...times, endTime, updatedAt: at })
  if (isMoved) await wakeUpFor(tx, { ...event, ...times })
  if (body.status) await callOff(tx, viewer, event)
  else await emit(tx, eventUpdated, { actorId: viewer.id, subject: subjectOf(event) })
  return id
}

/** Cancels a locked event, whoever may. */
export async function callOff(tx: Tx, viewer: Viewer, event: EventRow): Promise<void> {
  const at = now()
  await updateEvent(tx, event.id, { cancelledAt: at, updatedAt: at })
  const happening = { actorId: viewer.id, subject: subjectOf(event) }
  await emit(tx, eventUpdated, happening)
  await emit(tx, eventCancelled, happening)
}

/** Deletes an event with the community to talk about it. */
export async function deleteEvent(tx: Tx, viewer: Viewer, id: string): Promise<void> {
  const event = await lockVisible(tx, viewer, id)
  if (!canDeleteEvent(viewer, event, await membershipIn(tx, viewer, event))) fail('permissionDenied')
  await removeEvent(tx, viewer, event)
}

/** Deletes a locked event, whoever may; see `deleteEvent`. */
export async function removeEvent(tx: Tx, viewer: Viewer, event: EventRow): Promise<void> {
  const at = now()
  await updateEvent(tx, event.id, { isDeleted: true, deletedAt: at, updatedAt: at })
  await deleteEventCommunity(tx, viewer, event.discussionCommunityId)
  await emit(tx, eventDeleted, { actorId: viewer.id, subject: subjectOf(event) })
}

/** An event the viewer may read, locked. Fails with `notFound`. */
export async function lockVisible(tx: Tx, viewer: Viewer, id: string): Promise<EventRow> {
  return requireVisible(tx, viewer, await lockEvent(tx, id))
}

async function membershipIn(tx: Tx, viewer: Viewer, { originType, originId }: EventRow) {
  if (originType !== 'community') return null
  const membership = await findMembership(tx, originId, viewer.id)
  return membership?.membership === 'member' ? membership : null
}

async function requireContent(tx: Tx, viewer: Viewer, body: UpdateEventBody, isEdit: boolean): Promise<void> {
  const { title, description, location, externalUrl, coverImageFileId, metadata } = body
  if (metadata && jsonBytes(metadata) > maxMetadataBytes) fail('invalid', 'metadata is over 20 KB')
  await requireAllowedText(tx, viewer, {
    texts: [title, description, location],
    links: externalUrl ? [externalUrl] : [],
    isEdit,
  })
  if (coverImageFileId != null) await requireFile(tx, coverImageFileId, 'coverImageFileId', ['image'])
}

// From 1970 to the last time that is written with four digits of a year.
const lastTime = Date.UTC(9999, 11, 31)

function requireTimes(startTime: Date, endTime: Date): void {
  if (!(startTime < endTime)) fail('invalid', 'endTime is not after startTime')
  if (startTime.getTime() < 0 || endTime.getTime() > lastTime) fail('invalid', 'the times are too far away')
}

/** What is stored as it was sent, and only if it was sent. */
function fieldsOf(body: UpdateEventBody) {
  return {
    title: body.title,
    description: body.description,
    type: body.type,
    coverImageFileId: body.coverImageFileId,
    location: body.location,
    externalUrl: body.externalUrl,
    tags: body.tags,
    ...(body.metadata && { metadata: JSON.stringify(body.metadata) }),
  }
}
