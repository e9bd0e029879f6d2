import { can, type Permission, type PermissionHolder } from '../../kernel/permissions.ts'
import type { Viewer } from '../../kernel/viewer.ts'

interface Owned {
  userId: string
  targetType: string
}

type Membership = PermissionHolder | undefined

/** Its author, moderators of the community it is in, and the network's moderators everywhere else. */
export function canEditComment(viewer: Viewer, comment: Owned, membership: Membership): boolean {
  return comment.userId === viewer.id || moderates('EDIT', viewer, comment, membership)
}

export function canDeleteComment(viewer: Viewer, comment: Owned, membership: Membership): boolean {
  return comment.userId === viewer.id || moderates('DELETE', viewer, comment, membership)
}

/** Authors do not judge reports about themselves. */
export function canClearFlags(
  viewer: Viewer,
  comment: Pick<Owned, 'targetType'>,
  membership: Membership,
): boolean {
  return moderates('EDIT', viewer, comment, membership)
}

function moderates(
  what: 'EDIT' | 'DELETE',
  viewer: Viewer,
  { targetType }: Pick<Owned, 'targetType'>,
  membership: Membership,
): boolean {
  const inCommunity: Permission = `${what}_COMMUNITY_COMMENT`
  const elsewhere: Permission = `${what}_USER_FEED_COMMENT`
  return targetType === 'community' ? can(inCommunity, viewer, membership) : can(elsewhere, viewer)
}
