import { now } from '../../platform/clock.ts'
import type { Tx } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import { emit } from '../../kernel/outbox/emit.ts'
import type { EventDefinition } from '../../kernel/outbox/event.ts'
import { can } from '../../kernel/permissions.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import { addFlag, clearFlags, removeFlag, type FlagBody, type FlagState } from '../flags/index.ts'
import { clearLater, type Clearer } from './clearing.ts'
import type { DeleteUserOptions } from './departure.ts'
import {
  userDeleted,
  userFlagCleared,
  userFlagged,
  userGloballyBanned,
  userUnflagged,
  userUpdated,
  type UserSubject,
} from './events.ts'
import { canDeleteUser, isExemptFromGlobalBan } from './policy.ts'
import { lockUser, updateUserRow, type UserRow } from './store.ts'

const deletedName = 'Deleted user'

/** Reports a user, once for each reporter. Answers the internal id. */
export async function flagUser(tx: Tx, viewer: Viewer, userId: string, why: FlagBody): Promise<string> {
  const user = await openUser(tx, userId)
  if (user.id === viewer.id) fail('badRequest', 'people do not flag themselves')
  const flags = await addFlag(tx, viewer, 'user', user.id, why)
  return storeFlags(tx, viewer, user, flags, userFlagged)
}

/** Takes the viewer's report back. Answers the internal id. */
export async function unflagUser(tx: Tx, viewer: Viewer, userId: string): Promise<string> {
  const user = await openUser(tx, userId)
  return storeFlags(tx, viewer, user, await removeFlag(tx, viewer, 'user', user.id), userUnflagged)
}

/** Drops everybody's reports: a moderator has looked. Answers the internal id. */
export async function clearUserFlags(tx: Tx, viewer: Viewer, userId: string): Promise<string> {
  if (!can('EDIT_USER', viewer)) fail('permissionDenied')
  const user = await openUser(tx, userId)
  return storeFlags(tx, viewer, user, await clearFlags(tx, 'user', user.id), userFlagCleared)
}

/** Bans a user from the network at once: no sign-in, and every token of theirs is refused. Answers the internal id. */
export async function banUser(tx: Tx, viewer: Viewer, clearer: Clearer, userId: string): Promise<string> {
  if (!can('BAN_USER', viewer)) fail('permissionDenied')
  const user = await openUser(tx, userId)
  if (isExemptFromGlobalBan(viewer, user)) fail('exemptFromBan')
  if (user.isGlobalBan) return user.id
  await updateUserRow(tx, user.id, { isGlobalBan: true, updatedAt: now() })
  for (const departure of clearer.departures) await departure.banned?.(tx, viewer, user.id)
  await clearLater(tx, clearer, { userId: user.id, actorId: viewer.id, going: { kind: 'banned' } })
  await emit(tx, userGloballyBanned, { actorId: viewer.id, subject: { id: user.id } })
  return user.id
}

/** Lets a banned user sign in again; what the ban took away stays away. Answers the internal id. */
export async function unbanUser(tx: Tx, viewer: Viewer, userId: string): Promise<string> {
  if (!can('BAN_USER', viewer)) fail('permissionDenied')
  const user = await openUser(tx, userId)
  if (!user.isGlobalBan) return user.id
  await updateUserRow(tx, user.id, { isGlobalBan: false, updatedAt: now() })
  await emit(tx, userUpdated, { actorId: viewer.id, subject: { id: user.id } })
  return user.id
}

/**
 * Deletes a user for good: the row stays, so that what they made has an author, and says nothing of them. Answers the
 * internal id.
 */
export async function deleteUser(
  tx: Tx,
  viewer: Viewer,
  clearer: Clearer,
  userId: string,
  options: DeleteUserOptions,
): Promise<string> {
  const user = await lockUser(tx, userId)
  if (!user) return fail('notFound')
  if (!canDeleteUser(viewer, user)) fail('permissionDenied')
  if (user.isDeleted) fail('badRequest', 'the user is deleted already')
  const at = now()
  await updateUserRow(tx, user.id, {
    displayName: deletedName,
    profileHandle: null,
    description: '',
    avatarFileId: null,
    avatarCustomUrl: null,
    metadata: '{}',
    tags: [],
    roles: [],
    isDeleted: true,
    deletedAt: at,
    updatedAt: at,
  })
  for (const departure of clearer.departures) await departure.deleted?.(tx, viewer, user.id, options)
  await clearLater(tx, clearer, { userId: user.id, actorId: viewer.id, going: { kind: 'deleted', options } })
  await emit(tx, userDeleted, { actorId: viewer.id, subject: { id: user.id } })
  return user.id
}

async function openUser(tx: Tx, userId: string): Promise<UserRow> {
  const user = await lockUser(tx, userId)
  return user && !user.isDeleted ? user : fail('notFound')
}

async function storeFlags(
  tx: Tx,
  viewer: Viewer,
  user: UserRow,
  { changed, flagCount, hashFlag }: FlagState,
  event: EventDefinition<UserSubject>,
): Promise<string> {
  if (!changed) return user.id
  await updateUserRow(tx, user.id, {
    flagCount,
    hashFlag: hashFlag && JSON.stringify(hashFlag),
    updatedAt: now(),
  })
  await emit(tx, event, { actorId: viewer.id, subject: { id: user.id } })
  return user.id
}
