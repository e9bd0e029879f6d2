import { can } from '../../kernel/permissions.ts'
import type { Viewer } from '../../kernel/viewer.ts'

export function canEditUser(viewer: Viewer, userId: string): boolean {
  return viewer.id === userId || can('EDIT_USER', viewer)
}

/** Roles are given by those who may assign them, never by their holder alone. */
export function canAssignRoles(viewer: Viewer): boolean {
  return can('ASSIGN_USER_ROLE', viewer)
}
