import { isAdmin, type Viewer } from '../../kernel/viewer.ts'

/** Who sees, changes and cancels a scheduled post: who scheduled it, and administrators. */
export function canManageScheduledPost(viewer: Viewer, { userId }: { userId: string }): boolean {
  return userId === viewer.id || isAdmin(viewer)
}
