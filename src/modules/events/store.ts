import { sql, type Insertable, type Updateable } from 'kysely'
import type { DB, Json } from '../../../db/tables.ts'
import type { Db, Tx } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import type { Cursor } from '../../kernel/paging.ts'
import { anyOf } from '../../platform/database/any-of.ts'
import { keysetPage } from '../../platform/database/keyset.ts'
import { isBlockBetween } from '../follows/index.ts'
import type { EventStatus, ResponseStatus } from './schema.ts'
import type { Visibility } from './visibility.ts'

export interface EventRow {
  id: string
  userId: string
  userPublicId: string
  title: string
  description: string
  type: string
  coverImageFileId: string | null
  location: string | null
  externalUrl: string | null
  tags: string[]
  metadata: Json
  originType: string
  originId: string
  originPublicId: string
  /** Null for a person's event. */
  isCommunityPublic: boolean | null
  discussionCommunityId: string
  postId: string | null
  rsvpCount: number
  startTime: Date
  endTime: Date
  cancelledAt: Date | null
  /** When people are to be reminded of it; null when they were, or will not be. */
  remindAt: Date | null
  isStartTold: boolean
  isDeleted: boolean
  deletedAt: Date | null
  createdAt: Date
  updatedAt: Date
}

/** Events by id, also deleted ones. */
export async function findEventsById(db: Db, ids: string[]): Promise<EventRow[]> {
  return selectEvents(db).where('events.id', '=', anyOf(ids)).execute()
}

/** One event, locked against changes by others until the transaction ends. */
export async function lockEvent(tx: Tx, id: string): Promise<EventRow | undefined> {
  return selectEvents(tx).where('events.id', '=', id).forNoKeyUpdate('events').executeTakeFirst()
}

/** Some of the events somebody hosts: all, or those on their own page that are neither over nor called off. */
export async function findHostedEventIds(
  db: Db,
  hostId: string,
  which: 'all' | { openAt: Date },
  limit: number,
): Promise<string[]> {
  let rows = db.selectFrom('events').select('id').where('userId', '=', hostId).where('isDeleted', '=', false)
  if (which !== 'all') {
    rows = rows
      .where('originType', '=', 'user')
      .where('cancelledAt', 'is', null)
      .where('endTime', '>', which.openAt)
  }
  return (await rows.limit(limit).execute()).map((row) => row.id)
}

/** Ids of some events to remind of by now, and of some that have started and were not told of. */
export async function findDue(db: Db, at: Date, limit: number): Promise<string[]> {
  const toRemindOf = db.selectFrom('events').select('id').where('remindAt', '<=', at).limit(limit)
  const started = db
    .selectFrom('events')
    .select('id')
    .where('startTime', '<=', at)
    .where('isStartTold', '=', sql.lit(false))
    .limit(limit)
  const rows = await Promise.all([toRemindOf.execute(), started.execute()])
  return [...new Set(rows.flat().map((row) => row.id))]
}

export async function insertEvent(tx: Tx, event: Insertable<DB['events']>): Promise<void> {
  await tx.insertInto('events').values(event).execute()
}

export async function updateEvent(tx: Tx, id: string, changes: Updateable<DB['events']>): Promise<void> {
  await tx.updateTable('events').set(changes).where('id', '=', id).execute()
}

export async function addToRsvpCount(tx: Tx, id: string, delta: number): Promise<void> {
  await tx
    .updateTable('events')
    .set((e) => ({ rsvpCount: e('rsvpCount', '+', delta) }))
    .where('id', '=', id)
    .execute()
}

/** Those among some events that are not deleted and that a viewer may read. */
export async function findVisible(db: Db, visibility: Visibility, ids: string[]): Promise<Set<string>> {
  const rows = await selectVisible(db, visibility)
    .select('events.id')
    .where('events.id', '=', anyOf(ids))
    .execute()
  return new Set(rows.map((row) => row.id))
}

export interface EventFilter {
  at: Date
  /** Internal ids: who hosts it, or who answered that they are going. */
  hostId?: string | undefined
  attendeeId?: string | undefined
  originType?: string | undefined
  originId?: string | undefined
  type?: string | undefined
  status?: EventStatus | undefined
}

/** A line of an events list, with what it is sorted by. */
export interface ListedEvent {
  id: string
  startTime: Date
  createdAt: Date
}

/** A page of the events a viewer may read. */
export async function queryEventRows(
  db: Db,
  visibility: Visibility,
  { at, hostId, attendeeId, originType, originId, type, status }: EventFilter,
  { column, order }: { column: 'startTime' | 'createdAt'; order: 'asc' | 'desc' },
  cursor: Cursor,
): Promise<ListedEvent[]> {
  let rows = selectVisible(db, visibility).select(['events.id', 'events.startTime', 'events.createdAt'])
  if (hostId !== undefined) rows = rows.where('events.userId', '=', hostId)
  if (attendeeId !== undefined) {
    rows = rows.where(
      sql<boolean>`exists (select from event_responses response
        where response.event_id = events.id and response.user_id = ${attendeeId} and response.status = 'going')`,
    )
  }
  if (originType !== undefined) rows = rows.where('events.originType', '=', originType)
  if (originId !== undefined) rows = rows.where('events.originId', '=', originId)
  if (type !== undefined) rows = rows.where('events.type', '=', type)
  if (status !== undefined) rows = rows.where(inStatus(status, at))
  const page = keysetPage(
    rows,
    cursor,
    [
      { column: `events.${column}`, type: 'time' },
      { column: 'events.id', type: 'text' },
    ],
    order,
  )
  return (page ?? fail('badPageToken')).execute()
}

/** A line of the events somebody answered to. */
export interface AnsweredEvent {
  id: string
  respondedAt: Date
}

/** A page of the events a viewer answered to and may read, the latest answered first. */
export async function queryAnsweredRows(
  db: Db,
  visibility: Visibility,
  status: ResponseStatus | undefined,
  cursor: Cursor,
): Promise<AnsweredEvent[]> {
  let rows = selectVisible(db, visibility)
    .innerJoin('eventResponses as response', 'response.eventId', 'events.id')
    .select(['events.id', 'response.createdAt as respondedAt'])
    .where('response.userId', '=', visibility.viewerId)
  if (status !== undefined) rows = rows.where('response.status', '=', status)
  const page = keysetPage(
    rows,
    cursor,
    [
      { column: 'response.createdAt', type: 'time' },
      { column: 'response.eventId', type: 'text' },
    ],
    'desc',
  )
  return (page ?? fail('badPageToken')).execute()
}

function inStatus(status: EventStatus, at: Date) {
  if (status === 'cancelled') return sql<boolean>`events.cancelled_at is not null`
  const times = {
    scheduled: sql`events.start_time > ${at}`,
    live: sql`events.start_time <= ${at} and events.end_time > ${at}`,
    ended: sql`events.end_time <= ${at}`,
  }
  return sql<boolean>`events.cancelled_at is null and ${times[status]}`
}

function selectVisible(db: Db, visibility: Visibility) {
  const { viewerId, readsCommunities, readsPages, arePagesPrivate, seesBlocked } = visibility
  return db
    .selectFrom('events')
    .leftJoin('communities as origin', (join) =>
      join.onRef('origin.id', '=', 'events.originId').on('events.originType', '=', 'community'),
    )
    .where('events.isDeleted', '=', false)
    .where(
      sql<boolean>`(case events.origin_type
        when 'community' then not origin.is_deleted and (origin.is_public or ${readsCommunities} or exists (
          select from community_members own where own.community_id = origin.id
            and own.user_id = ${viewerId} and own.membership = 'member'))
        else not ${arePagesPrivate}::boolean or ${readsPages} or events.origin_id = ${viewerId} or exists (
          select from follows follow where follow.to_user_id = events.origin_id
            and follow.from_user_id = ${viewerId} and follow.status = 'accepted')
        end)`,
    )
    .where(sql<boolean>`(${seesBlocked} or not ${isBlockBetween(viewerId, 'events.user_id')})`)
}

function selectEvents(db: Db) {
  return db
    .selectFrom('events')
    .innerJoin('users as host', 'host.id', 'events.userId')
    .leftJoin('users as person', (join) =>
      join.onRef('person.id', '=', 'events.originId').on('events.originType', '=', 'user'),
    )
    .leftJoin('communities as origin', (join) =>
      join.onRef('origin.id', '=', 'events.originId').on('events.originType', '=', 'community'),
    )
    .selectAll('events')
    .select([
      'host.userId as userPublicId',
      'origin.isPublic as isCommunityPublic',
      sql<string>`coalesce(person.user_id, events.origin_id)`.as('originPublicId'),
    ])
}
