import { now } from '../../platform/clock.ts'
import { newId } from '../../platform/ids.ts'
import type { Tx } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import { forget } from '../../kernel/invalidation.ts'
import { emit } from '../../kernel/outbox/emit.ts'
import { jsonBytes } from '../../kernel/schema.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import { roleExists } from '../roles/index.ts'
import { userCreated, userUpdated } from './events.ts'
import { canAssignRoles, canEditUser } from './policy.ts'
import type { UpdateUserBody } from './schema.ts'
import { findUserByPublicId, insertUser, updateUserRow, type UserRow } from './store.ts'

const maxMetadataBytes = 5000

/** The cache topic under which signed-in viewers are remembered, by internal user id. */
export const viewerTopic = 'viewer'

export interface NewUser {
  userId: string
  displayName?: string
  kind?: Viewer['kind']
  roles?: string[]
}

/** The user with this public id, made now if there is none. A display name that differs is taken over. */
export async function ensureUser(
  tx: Tx,
  { userId, displayName, kind = 'signed-in', roles = [] }: NewUser,
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
  if (!created && displayName !== undefined && displayName !== user.displayName && !user.isDeleted) {
    await updateUserRow(tx, user.id, { displayName, updatedAt: at })
    await emit(tx, userUpdated, { actorId: user.id, subject: { id: user.id } })
    return { ...user, displayName, updatedAt: at }
  }
  return user
}

/** Changes a profile: one's own, or anyone's with EDIT_USER. Answers the internal id. */
export async function updateUser(tx: Tx, viewer: Viewer, body: UpdateUserBody): Promise<string> {
  const target = await findUserByPublicId(tx, body.userId ?? viewer.userId)
  if (!target || target.isDeleted) return fail('notFound')
  if (!canEditUser(viewer, target.id)) fail('permissionDenied')
  if (body.roles && !canAssignRoles(viewer)) fail('permissionDenied', 'roles')
  if (body.metadata && jsonBytes(body.metadata) > maxMetadataBytes)
    fail('invalid', `metadata is over ${maxMetadataBytes} bytes`)
  const { userId: _userId, metadata, ...changes } = body
  await updateUserRow(tx, target.id, {
    ...changes,
    ...(metadata && { metadata: JSON.stringify(metadata) }),
    updatedAt: now(),
  })
  if (body.roles) await forget(tx, viewerTopic, target.id)
  await emit(tx, userUpdated, { actorId: viewer.id, subject: { id: target.id } })
  return target.id
}

/** Gives a network-wide role to a user, who may hold it already. The role must exist. */
export async function grantRole(tx: Tx, user: Pick<UserRow, 'id' | 'roles'>, role: string): Promise<void> {
  if (user.roles.includes(role)) return
  if (!(await roleExists(tx, role))) fail('notFound', `role ${role}`)
  await updateUserRow(tx, user.id, { roles: [...user.roles, role], updatedAt: now() })
  await forget(tx, viewerTopic, user.id)
  await emit(tx, userUpdated, { actorId: null, subject: { id: user.id } })
}
