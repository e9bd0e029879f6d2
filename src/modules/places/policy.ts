import { can } from '../../kernel/permissions.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import { canReadCommunity } from '../communities/index.ts'
import type { PlaceAccess } from './access-store.ts'

/** Whether the viewer may see into the community or page that something is in. */
export function canReadPlace(
  viewer: Viewer,
  { targetType, targetId }: { targetType: string; targetId: string },
  access: PlaceAccess,
  { arePagesPrivate }: { arePagesPrivate: boolean },
): boolean {
  if (targetType === 'user') return !arePagesPrivate || access.isFollowing || canReadPage(viewer, targetId)
  const { isPublic, isDiscoverable, isCommunityDeleted, membership, isInvited, permissions } = access
  if (isPublic === null || isCommunityDeleted) return false
  return canReadCommunity(
    viewer,
    { isPublic, isDiscoverable: isDiscoverable ?? false },
    { membership: membership ?? 'none', isInvited: isInvited ?? false, permissions },
  )
}

/** Whether a person's page is open to the viewer although pages are private and the viewer does not follow them. */
export function canReadPage(viewer: Viewer, userId: string): boolean {
  return userId === viewer.id || can('DELETE_USER_FEED_POST', viewer)
}
