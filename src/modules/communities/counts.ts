import { now } from '../../platform/clock.ts'
import type { Tx } from '../../kernel/database.ts'
import { updateMembership } from './members/store.ts'
import { addToCounts } from './store.ts'
import { trendShare } from './trend.ts'

// The counters of a community that other slices move, each in the transaction that makes it true.

/**
 * Counts published posts in or, below 0, out. `publishedAt` is when they were published: a post that goes takes back
 * exactly what it had added to the trend.
 */
export async function adjustPostsCount(
  tx: Tx,
  communityId: string,
  delta: number,
  publishedAt = now(),
): Promise<void> {
  await addToCounts(tx, communityId, { posts: delta, trend: delta * trendShare('post', publishedAt) })
}

/** Counts posts that have a flag, for `hasFlaggedPost`: +1 at a post's first flag, -1 when its last one goes. */
export async function adjustFlaggedPostsCount(tx: Tx, communityId: string, delta: number): Promise<void> {
  await addToCounts(tx, communityId, { flaggedPosts: delta })
}

/** Counts comments that have a flag, for `hasFlaggedComment`, in the same way. */
export async function adjustFlaggedCommentsCount(tx: Tx, communityId: string, delta: number): Promise<void> {
  await addToCounts(tx, communityId, { flaggedComments: delta })
}

/** Notes that a member did something in the community just now (`lastActivity`). */
export async function touchMembership(tx: Tx, communityId: string, userId: string): Promise<void> {
  await updateMembership(tx, communityId, userId, { lastActivity: now() })
}
