import { isAdmin, type Viewer } from '../../kernel/viewer.ts'

/** Who closes and deletes a poll: its maker and administrators. Those who moderate a community take down the post. */
export function canManagePoll(viewer: Viewer, poll: { userId: string }): boolean {
  return poll.userId === viewer.id || isAdmin(viewer)
}
