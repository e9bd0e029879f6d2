import { can, type PermissionHolder } from '../../kernel/permissions.ts'
import type { Viewer } from '../../kernel/viewer.ts'

interface Placed {
  targetType: string
}

/** Moderators of the community, or of user feeds. Authors do not judge reports about themselves. */
export function canClearFlags(
  viewer: Viewer,
  comment: Placed,
  membership: PermissionHolder | undefined,
): boolean {
  return comment.targetType === 'community'
    ? can('EDIT_COMMUNITY_COMMENT', viewer, membership)
    : can('EDIT_USER_FEED_COMMENT', viewer)
}
