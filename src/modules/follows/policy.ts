import { isAdmin, type Viewer } from '../../kernel/viewer.ts'

/** Requests are between the two they concern; admins see them too. */
export function canSeeRequests(viewer: Viewer, userId: string): boolean {
  return viewer.id === userId || isAdmin(viewer)
}

/** Who runs the network cannot be shut out by anyone in it. */
export function canBeBlocked(user: { roles: readonly string[] }): boolean {
  return !user.roles.includes('global-admin')
}
