import type { Insertable, Selectable } from 'kysely'
import type { DB } from '../../../db/tables.ts'
import type { Db, Tx } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import type { Cursor } from '../../kernel/paging.ts'
import { anyOf } from '../../platform/database/any-of.ts'
import { keysetPage } from '../../platform/database/keyset.ts'
import type { InvitationStatus, InvitationTargetType, QueryInvitationsQuery } from './schema.ts'

export type InvitationRow = Selectable<DB['invitations']>

/** An invitation with the public ids of those in it, as it is shown. */
export interface ShownInvitationRow extends InvitationRow {
  invitedPublicId: string
  inviterPublicId: string
}

export async function findInvitationsById(db: Db, ids: string[]): Promise<ShownInvitationRow[]> {
  return db
    .selectFrom('invitations as invitation')
    .innerJoin('users as invited', 'invited.id', 'invitation.userId')
    .innerJoin('users as inviter', 'inviter.id', 'invitation.createdBy')
    .selectAll('invitation')
    .select(['invited.userId as invitedPublicId', 'inviter.userId as inviterPublicId'])
    .where('invitation.id', '=', anyOf(ids))
    .execute()
}

export async function findInvitation(db: Db, id: string): Promise<InvitationRow | undefined> {
  return db.selectFrom('invitations').selectAll().where('id', '=', id).executeTakeFirst()
}

/** The open invitations of these people to one target. */
export async function findOpenInvitations(
  db: Db,
  type: string,
  targetId: string,
  userIds: string[],
): Promise<InvitationRow[]> {
  return db
    .selectFrom('invitations')
    .selectAll()
    .where('type', '=', type)
    .where('targetId', '=', targetId)
    .where('userId', '=', anyOf(userIds))
    .where('status', '=', 'pending')
    .execute()
}

/** All open invitations to one person. */
export async function findOpenInvitationsTo(db: Db, userId: string): Promise<InvitationRow[]> {
  return db
    .selectFrom('invitations')
    .selectAll()
    .where('userId', '=', userId)
    .where('status', '=', 'pending')
    .execute()
}

/** Of some targets of a type those a person has an open invitation to. */
export async function findInvited(
  db: Db,
  targetType: InvitationTargetType,
  targetIds: string[],
  userId: string,
): Promise<Set<string>> {
  const rows = await db
    .selectFrom('invitations')
    .select('targetId')
    .where('targetType', '=', targetType)
    .where('targetId', '=', anyOf(targetIds))
    .where('userId', '=', userId)
    .where('status', '=', 'pending')
    .execute()
  return new Set(rows.map((row) => row.targetId))
}

export async function insertInvitations(tx: Tx, invitations: Insertable<DB['invitations']>[]): Promise<void> {
  if (invitations.length > 0) await tx.insertInto('invitations').values(invitations).execute()
}

/** Closes an invitation if it is open; answers whether it was. */
export async function closeInvitation(
  tx: Tx,
  id: string,
  status: InvitationStatus,
  at: Date,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('invitations')
    .set({ status, respondedAt: at, updatedAt: at })
    .where('id', '=', id)
    .where('status', '=', 'pending')
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** Closes the open invitations of these people to one target. */
export async function closeInvitationsOf(
  tx: Tx,
  targetType: InvitationTargetType,
  targetId: string,
  userIds: string[],
  status: InvitationStatus,
  at: Date,
): Promise<void> {
  await tx
    .updateTable('invitations')
    .set({ status, respondedAt: at, updatedAt: at })
    .where('targetType', '=', targetType)
    .where('targetId', '=', targetId)
    .where('userId', '=', anyOf(userIds))
    .where('status', '=', 'pending')
    .execute()
}

/** Whose invitations: of one target, to one person, from one person. */
export interface InvitationScope {
  userId?: string
  createdBy?: string
}

/** A page of invitations by time. */
export async function queryInvitationRows(
  db: Db,
  scope: InvitationScope,
  { type, targetType, targetId, statuses, sortBy }: QueryInvitationsQuery,
  cursor: Cursor,
): Promise<Pick<InvitationRow, 'id' | 'createdAt'>[]> {
  let rows = db.selectFrom('invitations').select(['id', 'createdAt'])
  if (scope.userId !== undefined) rows = rows.where('userId', '=', scope.userId)
  if (scope.createdBy !== undefined) rows = rows.where('createdBy', '=', scope.createdBy)
  if (type) rows = rows.where('type', '=', type)
  if (targetType) rows = rows.where('targetType', '=', targetType)
  if (targetId) rows = rows.where('targetId', '=', targetId)
  if (statuses) rows = rows.where('status', '=', anyOf(statuses))
  const page = keysetPage(
    rows,
    cursor,
    [
      { column: 'createdAt', type: 'time' },
      { column: 'id', type: 'text' },
    ],
    sortBy === 'firstCreated' ? 'asc' : 'desc',
  )
  return (page ?? fail('badPageToken')).execute()
}
