import type { Insertable, Selectable } from 'kysely'
import type { DB } from '../../../../db/tables.ts'
import { fail } from '../../../kernel/errors.ts'
import type { Db, Tx } from '../../../kernel/database.ts'
import type { Cursor } from '../../../kernel/paging.ts'
import { anyOf } from '../../../platform/database/any-of.ts'
import { keysetPage } from '../../../platform/database/keyset.ts'
import type { JoinRequestStatus } from './schema.ts'

export type JoinRequestRow = Selectable<DB['communityJoinRequests']>

/** A request with the public ids of those in it, as it is shown. */
export interface ShownJoinRequestRow extends JoinRequestRow {
  requestorPublicId: string
  responderPublicId: string | null
}

export async function findJoinRequestsById(db: Db, ids: string[]): Promise<ShownJoinRequestRow[]> {
  return db
    .selectFrom('communityJoinRequests as request')
    .innerJoin('users as requestor', 'requestor.id', 'request.userId')
    .leftJoin('users as responder', 'responder.id', 'request.responderId')
    .selectAll('request')
    .select(['requestor.userId as requestorPublicId', 'responder.userId as responderPublicId'])
    .where('request.id', '=', anyOf(ids))
    .execute()
}

export async function insertJoinRequest(
  tx: Tx,
  request: Insertable<DB['communityJoinRequests']>,
): Promise<void> {
  await tx.insertInto('communityJoinRequests').values(request).execute()
}

/** Somebody's newest request in a community, whatever became of it. */
export async function findLatestJoinRequest(
  db: Db,
  communityId: string,
  userId: string,
): Promise<JoinRequestRow | undefined> {
  return db
    .selectFrom('communityJoinRequests')
    .selectAll()
    .where('communityId', '=', communityId)
    .where('userId', '=', userId)
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
}

/** The communities where somebody has an open request. */
export async function findCommunitiesAsked(db: Db, userId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('communityJoinRequests')
    .select('communityId')
    .where('userId', '=', userId)
    .where('status', '=', 'pending')
    .orderBy('communityId')
    .execute()
  return rows.map((row) => row.communityId)
}

export interface Closing {
  status: Exclude<JoinRequestStatus, 'pending'>
  /** Who answered; null when the requester took it back. */
  responderId: string | null
  at: Date
}

/** Closes the open requests of these people, and answers them. */
export async function closeJoinRequests(
  tx: Tx,
  communityId: string,
  userIds: string[],
  { status, responderId, at }: Closing,
): Promise<Pick<JoinRequestRow, 'id' | 'userId'>[]> {
  return tx
    .updateTable('communityJoinRequests')
    .set({ status, responderId, respondedAt: at, updatedAt: at })
    .where('communityId', '=', communityId)
    .where('userId', '=', anyOf(userIds))
    .where('status', '=', 'pending')
    .returning(['id', 'userId'])
    .execute()
}

export interface JoinRequestFilter {
  communityIds?: string[]
  userId?: string
  status?: JoinRequestStatus
}

/** A page of requests by time. */
export async function queryJoinRequestRows(
  db: Db,
  { communityIds, userId, status }: JoinRequestFilter,
  cursor: Cursor,
  order: 'asc' | 'desc',
): Promise<Pick<JoinRequestRow, 'id' | 'createdAt'>[]> {
  let rows = db.selectFrom('communityJoinRequests').select(['id', 'createdAt'])
  if (communityIds) rows = rows.where('communityId', '=', anyOf(communityIds))
  if (userId) rows = rows.where('userId', '=', userId)
  if (status) rows = rows.where('status', '=', status)
  const columns = [
    { column: 'createdAt', type: 'time' },
    { column: 'id', type: 'text' },
  ] as const
  return (keysetPage(rows, cursor, [...columns], order) ?? fail('badPageToken')).execute()
}
