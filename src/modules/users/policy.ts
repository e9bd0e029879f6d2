import { can } from '../../kernel/permissions.ts'
import { isAdmin, type Viewer } from '../../kernel/viewer.ts'
import type { UserRow } from './store.ts'

export function canEditUser(viewer: Viewer, userId: string): boolean {
  return viewer.id === userId || can('EDIT_USER', viewer)
}

/** Everybody may go; sending others away for good is for admins. */
export function canDeleteUser(viewer: Viewer, { id }: UserRow): boolean {
  return viewer.id === id || isAdmin(viewer)
}

/** Nobody bans themselves, nor those who keep the network. */
export function isExemptFromGlobalBan(viewer: Viewer, { id, roles }: UserRow): boolean {
  return viewer.id === id || roles.includes('global-admin') || roles.includes('super-moderator')
}
