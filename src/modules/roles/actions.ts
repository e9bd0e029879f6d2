import { now } from '../../platform/clock.ts'
import { newId } from '../../platform/ids.ts'
import type { Tx } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import { everything, forget } from '../../kernel/invalidation.ts'
import { can } from '../../kernel/permissions.ts'
import { isAdmin, type Viewer } from '../../kernel/viewer.ts'
import type { RoleBody } from './schema.ts'
import { findRoles, insertRole, lockRole, updateRole, type RoleRow } from './store.ts'
import { roleRowTopic, userRowTopic, viewerTopic } from './topics.ts'

/** Makes a role. Answers its name. */
export async function createRole(tx: Tx, viewer: Viewer, body: RoleBody): Promise<string> {
  if (!can('CREATE_ROLE', viewer)) fail('permissionDenied')
  requireHeld(viewer, body.permissions)
  const at = now()
  await insertRole(tx, {
    id: newId(),
    roleId: body.roleId,
    displayName: body.displayName || body.roleId,
    permissions: [...new Set(body.permissions)],
    createdAt: at,
    updatedAt: at,
  })
  return body.roleId
}

/** Changes a role of the network's own. Nobody gives it, or takes from it, what they do not hold themselves. */
export async function changeRole(
  tx: Tx,
  viewer: Viewer,
  roleId: string,
  { displayName, permissions }: Pick<RoleBody, 'displayName' | 'permissions'>,
): Promise<string> {
  if (!can('EDIT_ROLE', viewer)) fail('permissionDenied')
  const role = await openCustom(tx, roleId)
  requireHeld(viewer, difference(permissions, role.permissions))
  await updateRole(tx, role.id, {
    ...(displayName !== undefined && { displayName }),
    permissions: [...new Set(permissions)],
    updatedAt: now(),
  })
  await forgetHolders(tx, role.roleId)
  return role.roleId
}

/** Deletes a role of the network's own: it grants nothing from now on, and its name stays taken. */
export async function deleteRole(tx: Tx, viewer: Viewer, roleId: string): Promise<string> {
  if (!can('DELETE_ROLE', viewer)) fail('permissionDenied')
  const role = await openCustom(tx, roleId)
  requireHeld(viewer, role.permissions)
  await updateRole(tx, role.id, { isDeleted: true, updatedAt: now() })
  await forgetHolders(tx, role.roleId)
  return role.roleId
}

/** Fails unless the viewer may give and take these roles: they exist, and grant nothing the viewer lacks. */
export async function requireAssignable(tx: Tx, viewer: Viewer, roleIds: string[]): Promise<void> {
  if (roleIds.length === 0) return
  if (!can('ASSIGN_USER_ROLE', viewer)) fail('permissionDenied', 'roles')
  const roles = await findRoles(tx, roleIds)
  for (const roleId of roleIds) {
    const role = roles.find((one) => one.roleId === roleId)
    if (!role) return fail('notFound', `role ${roleId}`)
    // Being a global admin is more than its permissions.
    if (roleId === 'global-admin' && !isAdmin(viewer)) fail('permissionDenied', roleId)
    requireHeld(viewer, role.permissions)
  }
}

async function openCustom(tx: Tx, roleId: string): Promise<RoleRow> {
  const role = await lockRole(tx, roleId)
  if (!role || role.isDeleted) return fail('notFound')
  if (role.isBuiltIn) fail('forbidden', 'built-in roles do not change')
  return role
}

function requireHeld(viewer: Viewer, permissions: string[]): void {
  const missing = permissions.filter((permission) => !viewer.permissions.has(permission))
  if (missing.length > 0) fail('permissionDenied', `you lack ${missing.join(', ')}`)
}

function difference(a: string[], b: string[]): string[] {
  return [...a.filter((one) => !b.includes(one)), ...b.filter((one) => !a.includes(one))]
}

async function forgetHolders(tx: Tx, roleId: string): Promise<void> {
  await forget(tx, roleRowTopic, roleId)
  await forget(tx, userRowTopic, everything)
  await forget(tx, viewerTopic, everything)
}
