import { now } from '../../platform/clock.ts'
import { newId } from '../../platform/ids.ts'
import type { Tx } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import { feedTypes, type FeedTargetType } from './schema.ts'
import { addToPostCount, findFeeds, insertFeeds, type FeedIds } from './store.ts'

/** The ids of a target's three feeds, made now if there are none. `targetId` is internal. */
export async function ensureFeeds(tx: Tx, targetType: FeedTargetType, targetId: string): Promise<FeedIds> {
  let feeds = await findFeeds(tx, targetType, targetId)
  if (feeds.length < feedTypes.length) {
    const at = now()
    await insertFeeds(
      tx,
      feedTypes.map((feedType) => ({
        id: newId(),
        targetType,
        targetId,
        feedType,
        createdAt: at,
        updatedAt: at,
      })),
    )
    feeds = await findFeeds(tx, targetType, targetId)
  }
  const ids: Partial<FeedIds> = Object.fromEntries(feeds.map((feed) => [feed.feedType, feed.id]))
  const { published, reviewing, declined } = ids
  return published && reviewing && declined ? { published, reviewing, declined } : fail('unexpected')
}

/** Counts posts into (or, below 0, out of) a feed, in the transaction that moves them. */
export async function adjustFeedCount(tx: Tx, feedId: string, delta: number): Promise<void> {
  if (delta !== 0) await addToPostCount(tx, feedId, delta, now())
}
