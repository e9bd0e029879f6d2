import { can, type PermissionHolder } from '../../kernel/permissions.ts'
import type { Viewer } from '../../kernel/viewer.ts'

interface Owned {
  postedUserId: string
  targetType: string
}

/** Its author, those who moderate its community, and moderators of user feeds. */
export function canDeletePost(
  viewer: Viewer,
  post: Owned,
  membership: PermissionHolder | undefined,
): boolean {
  if (post.postedUserId === viewer.id) return true
  return post.targetType === 'community'
    ? can('DELETE_COMMUNITY_POST', viewer, membership)
    : can('DELETE_USER_FEED_POST', viewer)
}

export function canEditPost(viewer: Viewer, post: Owned, membership: PermissionHolder | undefined): boolean {
  if (post.postedUserId === viewer.id) return true
  return post.targetType === 'community'
    ? can('EDIT_COMMUNITY_POST', viewer, membership)
    : can('EDIT_USER_FEED_POST', viewer)
}

/** Moderators see what waits for review and what was declined; authors see their own. */
export function canSeeUnpublished(
  viewer: Viewer,
  post: Owned,
  membership: PermissionHolder | undefined,
): boolean {
  return post.postedUserId === viewer.id || can('REVIEW_COMMUNITY_POST', viewer, membership)
}
