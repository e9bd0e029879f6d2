import { now } from '../../platform/clock.ts'
import { newId } from '../../platform/ids.ts'
import type { Tx } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import { findUsersById, resolveUserIds } from '../users/index.ts'
import type { CreateInvitationsBody, InvitationStatus, InvitationTargetType } from './schema.ts'
import {
  closeInvitation,
  closeInvitationsOf,
  findInvitation,
  findOpenInvitations,
  insertInvitations,
  type InvitationRow,
} from './store.ts'
import { targetOf, type Targets } from './targets.ts'

/** Invites people. Who has an open invitation keeps it; who is in already is passed over. Answers the invitations' ids. */
export async function createInvitations(
  tx: Tx,
  targets: Targets,
  viewer: Viewer,
  { type, targetType, targetId, userIds }: CreateInvitationsBody,
): Promise<string[]> {
  const target = targetOf(targets, type)
  if (target.targetType !== targetType) fail('badRequest', `${type} is not for a ${targetType}`)
  await target.requireInviter(tx, viewer, targetId)
  const invited = await target.invite(tx, viewer, targetId, await requireUsers(tx, userIds))
  const open = new Map(
    (await findOpenInvitations(tx, type, targetId, invited)).map((row) => [row.userId, row.id]),
  )
  const at = now()
  const status = 'pending'
  const rows = invited
    .filter((userId) => !open.has(userId))
    .map((userId) => ({
      id: newId(),
      type,
      targetType,
      targetId,
      userId,
      createdBy: viewer.id,
      status,
      createdAt: at,
      updatedAt: at,
    }))
  await insertInvitations(tx, rows)
  if (rows.length > 0) await target.tellInvited?.(tx, viewer, rows)
  const made = new Map(rows.map((row) => [row.userId, row.id]))
  return invited.map((userId) => open.get(userId) ?? made.get(userId)!)
}

/** The invited person comes in. Accepting again changes nothing. */
export async function acceptInvitation(tx: Tx, targets: Targets, viewer: Viewer, id: string): Promise<void> {
  const invitation = await requireOwn(tx, viewer, id)
  const target = targetOf(targets, invitation.type)
  await target.lock(tx, invitation.targetId)
  if (await close(tx, invitation, 'approved')) await target.accept(tx, viewer, invitation)
}

/** The invited person stays out. */
export async function rejectInvitation(tx: Tx, targets: Targets, viewer: Viewer, id: string): Promise<void> {
  await withdraw(tx, targets, viewer, await requireOwn(tx, viewer, id), 'rejected')
}

/** Takes an invitation back: who invited, or who may invite to the same target. */
export async function cancelInvitation(tx: Tx, targets: Targets, viewer: Viewer, id: string): Promise<void> {
  const invitation = (await findInvitation(tx, id)) ?? fail('notFound')
  if (invitation.createdBy !== viewer.id) {
    await targetOf(targets, invitation.type).requireInviter(tx, viewer, invitation.targetId)
  }
  await withdraw(tx, targets, viewer, invitation, 'cancelled')
}

/** Closes the open invitations of people who came in, or were shut out, in another way. */
export async function closeInvitations(
  tx: Tx,
  targetType: InvitationTargetType,
  targetId: string,
  userIds: string[],
  status: Exclude<InvitationStatus, 'pending'>,
): Promise<void> {
  await closeInvitationsOf(tx, targetType, targetId, userIds, status, now())
}

/** Closes an open invitation, and has its target know. */
export async function withdraw(
  tx: Tx,
  targets: Targets,
  viewer: Viewer,
  invitation: InvitationRow,
  status: 'rejected' | 'cancelled',
): Promise<void> {
  const target = targetOf(targets, invitation.type)
  await target.lock(tx, invitation.targetId)
  if (await close(tx, invitation, status)) await target.withdraw(tx, viewer, invitation, status)
}

/** Closes an invitation; false when that was done before in the same way, `conflict` when in another. */
async function close(
  tx: Tx,
  invitation: InvitationRow,
  status: 'approved' | 'rejected' | 'cancelled',
): Promise<boolean> {
  if (await closeInvitation(tx, invitation.id, status, now())) return true
  const closed = await findInvitation(tx, invitation.id)
  return closed?.status === status ? false : fail('conflict', `the invitation is ${closed?.status ?? 'gone'}`)
}

async function requireOwn(tx: Tx, viewer: Viewer, id: string): Promise<InvitationRow> {
  const invitation = await findInvitation(tx, id)
  return invitation?.userId === viewer.id ? invitation : fail('notFound')
}

async function requireUsers(tx: Tx, userIds: string[]): Promise<string[]> {
  const wanted = [...new Set(userIds)]
  const ids = await resolveUserIds(tx, wanted)
  const deleted = (await findUsersById(tx, ids)).some((user) => user.isDeleted)
  return deleted || ids.length < wanted.length ? fail('notFound', 'userIds') : ids
}
