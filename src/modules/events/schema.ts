import { Type, type Static } from 'typebox'
import { PageQuery } from '../../kernel/paging.ts'
import { Metadata, Nullable, OneOf, StringList, Text, Timestamp } from '../../kernel/schema.ts'

const eventTypes = ['virtual', 'in_person'] as const
export const eventStatuses = ['scheduled', 'live', 'ended', 'cancelled'] as const
export type EventStatus = (typeof eventStatuses)[number]
const originTypes = ['community', 'user'] as const
const responseStatuses = ['going', 'not_going'] as const

export const Event = Type.Object({
  eventId: Type.String(),
  publicId: Type.String(),
  userId: Type.String(),
  userPublicId: Type.String(),
  userInternalId: Type.String(),
  title: Type.String(),
  description: Type.String(),
  type: OneOf(eventTypes),
  status: OneOf(eventStatuses),
  startTime: Timestamp,
  endTime: Timestamp,
  coverImageFileId: Nullable(Type.String()),
  location: Nullable(Type.String()),
  externalUrl: Nullable(Type.String()),
  tags: StringList,
  metadata: Metadata,
  originType: OneOf(originTypes),
  originId: Type.String(),
  isOriginPublic: Type.Boolean(),
  discussionCommunityId: Type.String(),
  postId: Nullable(Type.String()),
  rsvpCount: Type.Integer(),
  /** Nobody can say so yet: an answer is going or not going. */
  interestedCount: Type.Integer(),
  isDeleted: Type.Boolean(),
  deletedAt: Nullable(Timestamp),
  createdAt: Timestamp,
  updatedAt: Timestamp,
})
export type Event = Static<typeof Event>

export const EventResponse = Type.Object({
  eventId: Type.String(),
  userId: Type.String(),
  userPublicId: Type.String(),
  userInternalId: Type.String(),
  status: OneOf(responseStatuses),
  createdAt: Timestamp,
  respondedAt: Type.Object({ createdAt: Timestamp, updatedAt: Timestamp }),
})
export type EventResponse = Static<typeof EventResponse>

const fields = {
  title: Text(60, 1),
  description: Text(1000),
  type: OneOf(eventTypes),
  startTime: Timestamp,
  endTime: Timestamp,
  coverImageFileId: Nullable(Text(50, 1)),
  location: Nullable(Text(100)),
  externalUrl: Nullable(Text(200)),
  tags: Type.Array(Text(100, 1), { maxItems: 10 }),
  metadata: Metadata,
}

export const UpdateEventBody = Type.Object({
  ...Type.Partial(Type.Object(fields)).properties,
  status: Type.Optional(OneOf(['cancelled'])),
})
export type UpdateEventBody = Static<typeof UpdateEventBody>

export const CreateEventBody = Type.Object({
  ...Type.Partial(Type.Object(fields)).properties,
  title: fields.title,
  type: fields.type,
  startTime: fields.startTime,
  originType: OneOf(originTypes),
  originId: Text(900, 1),
})
export type CreateEventBody = Static<typeof CreateEventBody>

export const EventIdParams = Type.Object({ eventId: Text(50, 1) })

export const QueryEventsQuery = Type.Object({
  ...PageQuery.properties,
  userId: Type.Optional(Text(900, 1)),
  originId: Type.Optional(Text(900, 1)),
  originType: Type.Optional(OneOf(originTypes)),
  onlyAttendee: Type.Optional(Type.Boolean()),
  type: Type.Optional(OneOf(eventTypes)),
  status: Type.Optional(OneOf(eventStatuses)),
  sortBy: Type.Optional(OneOf(['startTime', 'createdAt'], { default: 'startTime' })),
  orderBy: Type.Optional(OneOf(['asc', 'desc'], { default: 'asc' })),
})
export type QueryEventsQuery = Static<typeof QueryEventsQuery>

export const RsvpBody = Type.Object({ status: OneOf(responseStatuses) })
export type ResponseStatus = Static<typeof RsvpBody>['status']

export const QueryResponsesQuery = Type.Object({
  ...PageQuery.properties,
  status: Type.Optional(OneOf(responseStatuses)),
})
export type QueryResponsesQuery = Static<typeof QueryResponsesQuery>
