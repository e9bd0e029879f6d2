import { sql } from 'kysely'
import type { Db, Tx } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import type { Cursor } from '../../kernel/paging.ts'
import { keysetPage } from '../../platform/database/keyset.ts'
import type { ResponseStatus } from './schema.ts'

export interface ResponseRow {
  eventId: string
  userId: string
  userPublicId: string
  status: string
  createdAt: Date
  updatedAt: Date
}

/** Answers are named by both their keys in one string (internal ids). */
export function responseId({ eventId, userId }: Pick<ResponseRow, 'eventId' | 'userId'>): string {
  return `${eventId}:${userId}`
}

export async function findResponses(db: Db, ids: string[]): Promise<ResponseRow[]> {
  const keys = ids.map((id) => id.split(':') as [string, string])
  return db
    .selectFrom('eventResponses as response')
    .innerJoin('users', 'users.id', 'response.userId')
    .selectAll('response')
    .select('users.userId as userPublicId')
    .where(
      sql<boolean>`(response.event_id, response.user_id) in (select * from unnest(
        ${keys.map(([eventId]) => eventId)}::text[], ${keys.map(([, userId]) => userId)}::text[]))`,
    )
    .execute()
}

export async function findResponse(
  db: Db,
  eventId: string,
  userId: string,
): Promise<ResponseRow | undefined> {
  return (await findResponses(db, [responseId({ eventId, userId })]))[0]
}

/** Some of the events that somebody is going to: those that are not called off and start after a time. */
export async function findComingEventIds(
  db: Db,
  userId: string,
  after: Date,
  limit: number,
): Promise<string[]> {
  const rows = await db
    .selectFrom('eventResponses as response')
    .innerJoin('events', 'events.id', 'response.eventId')
    .select('events.id')
    .where('response.userId', '=', userId)
    .where('response.status', '=', 'going')
    .where('events.isDeleted', '=', false)
    .where('events.cancelledAt', 'is', null)
    .where('events.startTime', '>', after)
    .limit(limit)
    .execute()
  return rows.map((row) => row.id)
}

/** Writes an answer; one that exists keeps the time it was first given. */
export async function upsertResponse(
  tx: Tx,
  { eventId, userId }: { eventId: string; userId: string },
  status: ResponseStatus,
  at: Date,
): Promise<void> {
  await tx
    .insertInto('eventResponses')
    .values({ eventId, userId, status, createdAt: at, updatedAt: at })
    .onConflict((c) => c.columns(['eventId', 'userId']).doUpdateSet({ status, updatedAt: at }))
    .execute()
}

/** A page of those who answered an event, the latest first. */
export async function queryResponseRows(
  db: Db,
  eventId: string,
  status: ResponseStatus | undefined,
  cursor: Cursor,
): Promise<Pick<ResponseRow, 'eventId' | 'userId' | 'createdAt'>[]> {
  let rows = db
    .selectFrom('eventResponses')
    .select(['eventId', 'userId', 'createdAt'])
    .where('eventId', '=', eventId)
  if (status !== undefined) rows = rows.where('status', '=', status)
  const page = keysetPage(
    rows,
    cursor,
    [
      { column: 'createdAt', type: 'time' },
      { column: 'userId', type: 'text' },
    ],
    'desc',
  )
  return (page ?? fail('badPageToken')).execute()
}
