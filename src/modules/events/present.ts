import { iso } from '../../kernel/schema.ts'
import type { ResponseRow } from './response-store.ts'
import type { Event, EventResponse, EventStatus } from './schema.ts'
import type { EventRow } from './store.ts'

/** An event as it stands at the time it was read. */
export interface TimedEventRow extends EventRow {
  status: EventStatus
  isOriginPublic: boolean
}

export function presentEvent(row: TimedEventRow): Event {
  return {
    eventId: row.id,
    publicId: row.id,
    userId: row.userPublicId,
    userPublicId: row.userPublicId,
    userInternalId: row.userId,
    title: row.title,
    description: row.description,
    type: row.type as Event['type'],
    status: row.status,
    startTime: iso(row.startTime),
    endTime: iso(row.endTime),
    coverImageFileId: row.coverImageFileId,
    location: row.location,
    externalUrl: row.externalUrl,
    tags: row.tags,
    metadata: row.metadata as Event['metadata'],
    originType: row.originType as Event['originType'],
    originId: row.originPublicId,
    isOriginPublic: row.isOriginPublic,
    discussionCommunityId: row.discussionCommunityId,
    postId: row.postId,
    rsvpCount: row.rsvpCount,
    interestedCount: 0,
    isDeleted: row.isDeleted,
    deletedAt: iso(row.deletedAt),
    createdAt: iso(row.createdAt),
    updatedAt: iso(row.updatedAt),
  }
}

export function presentResponse(row: ResponseRow): EventResponse {
  return {
    eventId: row.eventId,
    userId: row.userPublicId,
    userPublicId: row.userPublicId,
    userInternalId: row.userId,
    status: row.status as EventResponse['status'],
    createdAt: iso(row.createdAt),
    respondedAt: { createdAt: iso(row.createdAt), updatedAt: iso(row.updatedAt) },
  }
}
