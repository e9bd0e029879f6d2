import { now } from '../../../platform/clock.ts'
import type { Tx } from '../../../kernel/database.ts'
import { fail } from '../../../kernel/errors.ts'
import { can } from '../../../kernel/permissions.ts'
import { isAdmin, type Viewer } from '../../../kernel/viewer.ts'
import { requireReadableCommunity } from '../../communities/index.ts'
import { readSettings } from '../../network-settings/index.ts'
import { lockLivingPost } from '../locking.ts'
import type { PostRow } from '../store.ts'
import type { Placement } from './schema.ts'
import {
  countPins,
  deletePins,
  deletePinsOf,
  insertPin,
  pinId,
  touchPinTarget,
  type PinFilter,
  type PinTargetKey,
} from './store.ts'

/** How many posts a community pins, in both placements together. */
const maxCommunityPins = 20

/** What the network features is pinned by this target. */
export const globalTarget = 'global'

/** Pins a post of a community, for those with PIN_COMMUNITY_POST. Answers the pin's id. */
export async function pinInCommunity(
  tx: Tx,
  viewer: Viewer,
  communityId: string,
  placement: Placement,
  postId: string,
): Promise<string> {
  const { community, membership } = await requireReadableCommunity(tx, viewer, communityId)
  if (!can('PIN_COMMUNITY_POST', viewer, membership)) fail('permissionDenied', 'PIN_COMMUNITY_POST')
  const post = await lockPinnable(tx, viewer, postId)
  if (post.targetId !== community.id) fail('notFound', 'the post is not in this community')
  return pin(
    tx,
    viewer,
    post,
    { targetId: community.id, targetType: 'community' },
    placement,
    maxCommunityPins,
  )
}

/** Features a post on the whole network, for its admins. Answers the pin's id. */
export async function pinGlobally(tx: Tx, viewer: Viewer, postId: string): Promise<string> {
  requireFeaturing(viewer)
  const { globalFeed } = await readSettings(tx, 'social')
  const post = await lockPinnable(tx, viewer, postId)
  const target = { targetId: globalTarget, targetType: 'network' }
  return pin(tx, viewer, post, target, 'global', globalFeed.maxGlobalPinnedPost)
}

/** Unpins one post of a community, those of one placement, or all. Fails with `notFound` for one that is not pinned. */
export async function unpinInCommunity(
  tx: Tx,
  viewer: Viewer,
  communityId: string,
  filter: Omit<PinFilter, 'targetId'>,
): Promise<string> {
  const { community, membership } = await requireReadableCommunity(tx, viewer, communityId)
  if (!can('PIN_COMMUNITY_POST', viewer, membership)) fail('permissionDenied', 'PIN_COMMUNITY_POST')
  await unpin(tx, { targetId: community.id, targetType: 'community' }, filter)
  return community.id
}

/** No longer features one post, or any. */
export async function unpinGlobally(tx: Tx, viewer: Viewer, postId?: string): Promise<void> {
  requireFeaturing(viewer)
  await unpin(tx, { targetId: globalTarget, targetType: 'network' }, { postId })
}

/** Takes a post that is going away out of all pins. The post is locked. */
export async function unpinPost(tx: Tx, postId: string): Promise<void> {
  const targets = await deletePinsOf(tx, postId)
  const byId = new Map(targets.map((target) => [target.targetId, target]))
  for (const target of [...byId.values()].sort((a, b) => (a.targetId < b.targetId ? -1 : 1))) {
    await touchPinTarget(tx, { ...target, lastPinsUpdatedAt: now() })
  }
}

async function pin(
  tx: Tx,
  viewer: Viewer,
  { id: postId }: PostRow,
  target: PinTargetKey,
  placement: Placement,
  maxPins: number,
): Promise<string> {
  const at = now()
  await touchPinTarget(tx, { ...target, lastPinsUpdatedAt: at })
  const key = { targetId: target.targetId, placement, postId }
  const isNew = await insertPin(tx, { ...target, ...key, pinnedBy: viewer.id, pinnedAt: at })
  if (isNew && (await countPins(tx, target.targetId)) > maxPins) {
    fail('badRequest', `at most ${maxPins} posts are pinned`)
  }
  return pinId(key)
}

async function unpin(tx: Tx, target: PinTargetKey, filter: Omit<PinFilter, 'targetId'>): Promise<void> {
  await touchPinTarget(tx, { ...target, lastPinsUpdatedAt: now() })
  const unpinned = await deletePins(tx, { targetId: target.targetId, ...filter })
  if (unpinned === 0 && filter.postId !== undefined) fail('notFound', 'the post is not pinned here')
}

async function lockPinnable(tx: Tx, viewer: Viewer, postId: string): Promise<PostRow> {
  const { post, parent } = await lockLivingPost(tx, viewer, postId)
  if (parent) fail('badRequest', 'a post is pinned as a whole')
  if (post.feedType !== 'published') fail('conflict', 'the post is not published')
  return post
}

function requireFeaturing(viewer: Viewer): void {
  if (!isAdmin(viewer)) fail('permissionDenied', 'the network is run by its admins')
}
