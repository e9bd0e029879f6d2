import { can, type Permission, type PermissionHolder } from '../../kernel/permissions.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import { canReadCommunity } from '../communities/index.ts'
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
  { arePagesPrivate }: { arePagesPrivate: boolean },
): boolean {
  if (post.isErased || !canReadPlace(viewer, post, access, arePagesPrivate)) return false
  const isAuthor = post.postedUserId === viewer.id
  if (post.feedType !== 'published' && !isAuthor && !canReviewPosts(viewer, access)) return false
  return !access.isBlocked || canModeratePost(viewer, post, access)
}

function canReadPlace(viewer: Viewer, post: Placed, access: PostAccess, arePagesPrivate: boolean): boolean {
  if (post.targetType === 'content') return true
  if (post.targetType === 'user') {
    return !arePagesPrivate || access.isFollowing || canReadPage(viewer, post)
  }
  const { isPublic, isDiscoverable, isCommunityDeleted, membership, isInvited } = access
  if (isPublic === null || isCommunityDeleted) return false
  return canReadCommunity(
    viewer,
    { isPublic, isDiscoverable: isDiscoverable ?? false },
    { membership: membership ?? 'none', isInvited: isInvited ?? false, permissions: access.permissions },
  )
}

/** Whether a person's page is open to the viewer although pages are private and the viewer does not follow them. */
export function canReadPage(viewer: Viewer, { targetId, postedUserId }: PageOf): boolean {
  return targetId === viewer.id || postedUserId === viewer.id || can('DELETE_USER_FEED_POST', viewer)
}

interface PageOf {
  targetId: string
  postedUserId?: string
}

function may(viewer: Viewer, post: Owned, membership: Holder, what: 'EDIT' | 'DELETE'): boolean {
  const permission: Permission =
    post.targetType === 'community' ? `${what}_COMMUNITY_POST` : `${what}_USER_FEED_POST`
  return can(permission, viewer, post.targetType === 'community' ? membership : null)
}
