import { now } from '../../platform/clock.ts'
import { newId } from '../../platform/ids.ts'
import type { Tx } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import { can, type Permission } from '../../kernel/permissions.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import { requireFile } from '../files/index.ts'
import type { CreateCategoryBody, UpdateCategoryBody } from './schema.ts'
import { insertCategory, updateCategoryRow } from './store.ts'

// Categories are the network's, so only network-wide roles give the permissions.

export async function createCategory(tx: Tx, viewer: Viewer, body: CreateCategoryBody): Promise<string> {
  requirePermission(viewer, 'CREATE_COMMUNITY_CATEGORY')
  const { name, metadata = {}, avatarFileId = null } = body
  if (avatarFileId) await requireFile(tx, avatarFileId, 'avatarFileId', ['image'])
  const id = newId()
  const at = now()
  await insertCategory(tx, {
    id,
    name,
    metadata: JSON.stringify(metadata),
    avatarFileId,
    createdAt: at,
    updatedAt: at,
  })
  return id
}

export async function updateCategory(
  tx: Tx,
  viewer: Viewer,
  id: string,
  body: UpdateCategoryBody,
): Promise<string> {
  requirePermission(viewer, 'EDIT_COMMUNITY_CATEGORY')
  const { name, metadata, avatarFileId } = body
  if (avatarFileId) await requireFile(tx, avatarFileId, 'avatarFileId', ['image'])
  const changed = await updateCategoryRow(tx, id, {
    name,
    avatarFileId,
    ...(metadata && { metadata: JSON.stringify(metadata) }),
    updatedAt: now(),
  })
  return changed ? id : fail('notFound')
}

/** Deletes a category. Communities that are in it keep its id, which then leads to a deleted category. */
export async function deleteCategory(tx: Tx, viewer: Viewer, id: string): Promise<void> {
  requirePermission(viewer, 'DELETE_COMMUNITY_CATEGORY')
  const at = now()
  if (!(await updateCategoryRow(tx, id, { isDeleted: true, deletedAt: at, updatedAt: at }))) fail('notFound')
}

function requirePermission(viewer: Viewer, permission: Permission): void {
  if (!can(permission, viewer)) fail('permissionDenied', permission)
}
