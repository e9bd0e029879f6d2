import { now } from '../../platform/clock.ts'
import type { Db } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import { cutPage, parsePage, type Page } from '../../kernel/paging.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import { resolveUserIds } from '../users/index.ts'
import { findResponse, queryResponseRows, responseId } from './response-store.ts'
import type { QueryEventsQuery, QueryResponsesQuery } from './schema.ts'
import {
  findEventsById,
  findVisible,
  queryAnsweredRows,
  queryEventRows,
  type EventFilter,
  type EventRow,
} from './store.ts'
import { visibilityOf } from './visibility.ts'

/** An event in hand that the viewer may read. Fails with `notFound`. */
export async function requireVisible(db: Db, viewer: Viewer, event: EventRow | undefined): Promise<EventRow> {
  if (!event || event.isDeleted) return fail('notFound')
  const readable = await findReadableEvents(db, viewer, [event.id])
  return readable.has(event.id) ? event : fail('notFound')
}

/** Which of some events the viewer may read. */
export async function findReadableEvents(db: Db, viewer: Viewer, ids: string[]): Promise<Set<string>> {
  return findVisible(db, await visibilityOf(db, viewer), ids)
}

/** A page of events the viewer may read. */
export async function queryEvents(
  db: Db,
  viewer: Viewer,
  query: QueryEventsQuery,
): Promise<Page<{ id: string }>> {
  const cursor = parsePage(query)
  const filter = await filterOf(db, viewer, query)
  if (!filter) return { rows: [], paging: {} }
  const { sortBy: column = 'startTime', orderBy: order = 'asc' } = query
  const rows = await queryEventRows(db, await visibilityOf(db, viewer), filter, { column, order }, cursor)
  return cutPage(rows, cursor, (row) => [row[column].getTime(), row.id])
}

// Null when somebody who is asked about is unknown: then there is nothing of theirs.
async function filterOf(
  db: Db,
  viewer: Viewer,
  { userId, originId, originType, onlyAttendee, type, status }: QueryEventsQuery,
): Promise<EventFilter | null> {
  const internalId = async (id: string) => (await resolveUserIds(db, [id]))[0] ?? null
  const person = userId === undefined ? undefined : await internalId(userId)
  const origin = originId !== undefined && originType === 'user' ? await internalId(originId) : originId
  if (person === null || origin === null) return null
  return {
    at: now(),
    originType,
    originId: origin,
    type,
    status,
    ...(onlyAttendee ? { attendeeId: person ?? viewer.id } : { hostId: person }),
  }
}

/** A page of the events the viewer answered to. */
export async function queryMyEvents(
  db: Db,
  viewer: Viewer,
  query: QueryResponsesQuery,
): Promise<Page<{ id: string }>> {
  const cursor = parsePage(query)
  const rows = await queryAnsweredRows(db, await visibilityOf(db, viewer), query.status, cursor)
  return cutPage(rows, cursor, (row) => [row.respondedAt.getTime(), row.id])
}

/** A page of the answers to an event, by `responseId`. */
export async function queryResponses(
  db: Db,
  viewer: Viewer,
  eventId: string,
  query: QueryResponsesQuery,
): Promise<Page<string>> {
  const event = await requireVisible(db, viewer, (await findEventsById(db, [eventId]))[0])
  const cursor = parsePage(query)
  const rows = await queryResponseRows(db, event.id, query.status, cursor)
  const page = cutPage(rows, cursor, (row) => [row.createdAt.getTime(), row.userId])
  return { ...page, rows: page.rows.map(responseId) }
}

/** The viewer's own answer to an event, by `responseId`. Fails with `notFound` when there is none. */
export async function requireMyResponse(db: Db, viewer: Viewer, eventId: string): Promise<string> {
  const event = await requireVisible(db, viewer, (await findEventsById(db, [eventId]))[0])
  const response = await findResponse(db, event.id, viewer.id)
  return response ? responseId(response) : fail('notFound', 'no answer')
}
