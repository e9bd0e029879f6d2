import { now } from '../../platform/clock.ts'
import { newId } from '../../platform/ids.ts'
import type { Tx } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import { forget } from '../../kernel/invalidation.ts'
import { can } from '../../kernel/permissions.ts'
import { emit } from '../../kernel/outbox/emit.ts'
import { jsonBytes } from '../../kernel/schema.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import { requireFile } from '../files/index.ts'
import { readSettings } from '../network-settings/index.ts'
import { requireAssignable, roleExists, viewerTopic } from '../roles/index.ts'
import { userCreated, userUpdated } from './events.ts'
import { canEditUser } from './policy.ts'
import type { UpdateUserBody } from './schema.ts'
import { findUserByPublicId, insertUser, lockUser, updateUserRow, type UserRow } from './store.ts'

const maxMetadataBytes = 5000

export interface NewUser {
  userId: string
  displayName?: string
  kind?: Viewer['kind']
  roles?: string[]
  /** Somebody with the right to it says what the user is called. */
  vouched?: boolean
}

/** The user with this public id, made now if there is none. A display name that differs is taken over. */
export async function ensureUser(
  tx: Tx,
  { userId, displayName, kind = 'signed-in', roles = [], vouched = false }: NewUser,
): Promise<UserRow> {
  const at = now()
  const id = newId()
  const created = await insertUser(tx, {
    id,
    userId,
    kind,
    displayName: displayName ?? userId,
    roles,
    createdAt: at,
    updatedAt: at,
  })
  if (created) await emit(tx, userCreated, { actorId: id, subject: { id } })
  const user = (await findUserByPublicId(tx, userId)) ?? fail('unexpected')
  const renamed = !created && displayName !== undefined && displayName !== user.displayName && !user.isDeleted
  if (renamed && (vouched || (await mayRenameThemselves(tx)))) {
    await updateUserRow(tx, user.id, { displayName, updatedAt: at })
    await emit(tx, userUpdated, { actorId: user.id, subject: { id: user.id } })
    return { ...user, displayName, updatedAt: at }
  }
  return user
}

/** Changes a profile: one's own, or anyone's with EDIT_USER. Answers the internal id. */
export async function updateUser(tx: Tx, viewer: Viewer, body: UpdateUserBody): Promise<string> {
  const { userId = viewer.userId, createNewUserWhenNotFound = false, metadata } = body
  const changes = changesOf(body)
  if (createNewUserWhenNotFound && can('EDIT_USER', viewer)) await ensureUser(tx, { userId })
  const target = await lockUser(tx, userId)
  if (!target || target.isDeleted) return fail('notFound')
  if (!canEditUser(viewer, target.id)) fail('permissionDenied')
  const renames = changes.displayName !== undefined && changes.displayName !== target.displayName
  if (renames && !can('EDIT_USER', viewer) && !(await mayRenameThemselves(tx)))
    fail('permissionDenied', 'display names are given by the network')
  if (metadata && jsonBytes(metadata) > maxMetadataBytes)
    fail('invalid', `metadata is over ${maxMetadataBytes} bytes`)
  if (changes.avatarFileId && changes.avatarFileId !== target.avatarFileId)
    await requireFile(tx, changes.avatarFileId, 'avatarFileId', ['image'])
  if (changes.roles) {
    const { roles } = changes
    const given = roles.filter((role) => !target.roles.includes(role))
    await requireAssignable(tx, viewer, [...given, ...target.roles.filter((role) => !roles.includes(role))])
  }
  await updateUserRow(tx, target.id, {
    ...changes,
    ...(changes.roles && { roles: [...new Set(changes.roles)] }),
    ...(metadata && { metadata: JSON.stringify(metadata) }),
    updatedAt: now(),
  })
  if (changes.roles) await forget(tx, viewerTopic, target.id)
  await emit(tx, userUpdated, { actorId: viewer.id, subject: { id: target.id } })
  return target.id
}

// Members of the body that this server does not know are ignored.
function changesOf(body: UpdateUserBody) {
  const { displayName, profileHandle, description, avatarFileId, avatarCustomUrl, roles, tags } = body
  return { displayName, profileHandle, description, avatarFileId, avatarCustomUrl, roles, tags }
}

async function mayRenameThemselves(tx: Tx): Promise<boolean> {
  return (await readSettings(tx, 'users')).isAllowUpdateDisplayName
}

/** Gives a network-wide role to a user, who may hold it already. The role must exist. */
export async function grantRole(tx: Tx, user: Pick<UserRow, 'id' | 'roles'>, role: string): Promise<void> {
  if (user.roles.includes(role)) return
  if (!(await roleExists(tx, role))) fail('notFound', `role ${role}`)
  await updateUserRow(tx, user.id, { roles: [...user.roles, role], updatedAt: now() })
  await forget(tx, viewerTopic, user.id)
  await emit(tx, userUpdated, { actorId: null, subject: { id: user.id } })
}
