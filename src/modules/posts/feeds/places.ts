import type { Db } from '../../../kernel/database.ts'
import { fail } from '../../../kernel/errors.ts'
import type { PermissionHolder } from '../../../kernel/permissions.ts'
import type { Viewer } from '../../../kernel/viewer.ts'
import { requireReadableCommunity } from '../../communities/index.ts'
import { isFollowing } from '../../follows/index.ts'
import { resolveUserId } from '../../users/index.ts'
import { arePagesPrivate, canReadPage } from '../../places/index.ts'

/** Where posts are: a user's page, a community, or something of the app's own. */
export interface Place {
  targetType: 'user' | 'community' | 'content'
  /** Internal id. */
  targetId: string
  membership: PermissionHolder | null
}

/** A place the viewer may read. Fails with `notFound`, `notAMember`, or `forbidden` for a page for followers only. */
export async function requireReadablePlace(
  db: Db,
  viewer: Viewer,
  targetType: Place['targetType'],
  targetId: string,
): Promise<Place> {
  if (targetType === 'content') return { targetType, targetId, membership: null }
  if (targetType === 'community') {
    const { community, membership } = await requireReadableCommunity(db, viewer, targetId)
    return { targetType, targetId: community.id, membership }
  }
  const id = await resolveUserId(db, targetId)
  await requireReadablePage(db, viewer, id)
  return { targetType, targetId: id, membership: null }
}

async function requireReadablePage(db: Db, viewer: Viewer, userId: string): Promise<void> {
  if (canReadPage(viewer, userId) || !(await arePagesPrivate(db))) return
  if (!(await isFollowing(db, viewer.id, userId))) fail('forbidden', 'this page is for followers')
}
