import { can, type Permission, type PermissionHolder } from '../../kernel/permissions.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import { canReadPlace } from '../places/index.ts'
import type { PostAccess } from './access-store.ts'

interface Owned {
  postedUserId: string
  targetType: string
}

interface Placed extends Owned {
  targetId: string
  feedType: string
  isErased: boolean
}

type Holder = PermissionHolder | null | undefined

/** Its author, those who moderate its community, and moderators of user feeds. */
export function canDeletePost(viewer: Viewer, post: Owned, membership: Holder): boolean {
  return post.postedUserId === viewer.id || may(viewer, post, membership, 'DELETE')
}

export function canEditPost(viewer: Viewer, post: Owned, membership: Holder): boolean {
  return post.postedUserId === viewer.id || may(viewer, post, membership, 'EDIT')
}

/** Those who may take down what others wrote here: they see what is hidden from others, and clear flags. */
export function canModeratePost(viewer: Viewer, post: Owned, membership: Holder): boolean {
  return may(viewer, post, membership, 'DELETE')
}

/** Who publishes or declines what waits for review. */
export function canReviewPosts(viewer: Viewer, membership: Holder): boolean {
  return can('REVIEW_COMMUNITY_POST', viewer, membership)
}

/** Who sees how a post is seen: by whom, and how it was edited. */
export function canSeeInsights(viewer: Viewer, post: Owned, membership: Holder): boolean {
  return canEditPost(viewer, post, membership)
}

/** Whether the viewer may read a post: its place, its state, its author. */
export function canReadPost(
  viewer: Viewer,
  post: Placed,
  access: PostAccess,
  privacy: { arePagesPrivate: boolean },
): boolean {
  if (post.isErased || !canSeeWhereItIs(viewer, post, access, privacy)) return false
  const isAuthor = post.postedUserId === viewer.id
  if (post.feedType !== 'published' && !isAuthor && !canReviewPosts(viewer, access)) return false
  return !access.isBlocked || canModeratePost(viewer, post, access)
}

function canSeeWhereItIs(
  viewer: Viewer,
  post: Placed,
  access: PostAccess,
  privacy: { arePagesPrivate: boolean },
): boolean {
  if (post.targetType === 'content') return true
  // What somebody wrote on another's page stays theirs to read.
  if (post.targetType === 'user' && post.postedUserId === viewer.id) return true
  return canReadPlace(viewer, post, access, privacy)
}

function may(viewer: Viewer, post: Owned, membership: Holder, what: 'EDIT' | 'DELETE'): boolean {
  const permission: Permission =
    post.targetType === 'community' ? `${what}_COMMUNITY_POST` : `${what}_USER_FEED_POST`
  return can(permission, viewer, post.targetType === 'community' ? membership : null)
}
