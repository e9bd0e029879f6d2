import type { Tx } from '../../kernel/database.ts'
import { adjustPostsCount } from '../communities/index.ts'
import { adjustFeedCount, ensureFeeds, type FeedType } from '../feeds/index.ts'
import { hashtagKey } from './content.ts'
import { findReviewerIds, replaceHashtags, type PostRow } from './store.ts'
import type { PostSubject } from './events.ts'

type Counted = Pick<PostRow, 'targetType' | 'targetId' | 'feedId' | 'feedType' | 'publishedAt'>

/** Counts a post into (or out of) the feed it is in, and into its community's posts when it is published. */
export async function countPost(tx: Tx, post: Counted, delta: 1 | -1): Promise<void> {
  if (post.targetType === 'community' && post.publishedAt) {
    await adjustPostsCount(tx, post.targetId, delta, post.publishedAt)
  }
  await adjustFeedCount(tx, post.feedId, delta)
}

/** Makes a living published post findable by its hashtags; any other, not. */
export async function indexHashtags(
  tx: Tx,
  post: Pick<PostRow, 'id' | 'createdAt' | 'hashtags' | 'feedType'>,
): Promise<void> {
  const keys = post.feedType === 'published' ? post.hashtags.map(hashtagKey) : []
  await replaceHashtags(tx, post, [...new Set(keys)])
}

/** The feed of a target that posts of a state are in. */
export async function feedIdFor(
  tx: Tx,
  { targetType, targetId }: Pick<PostRow, 'targetType' | 'targetId'>,
  feedType: FeedType,
): Promise<string> {
  return (await ensureFeeds(tx, targetType as Parameters<typeof ensureFeeds>[1], targetId))[feedType]
}

type Told = Pick<PostRow, 'id' | 'targetType' | 'targetId' | 'feedType' | 'postedUserId'>

/** The subject of a post's event. Of what is not published only its author and its reviewers are told. */
export async function subjectOf(tx: Tx, post: Told, extra?: Record<string, unknown>): Promise<PostSubject> {
  const { id, targetType, targetId, feedType, postedUserId } = post
  const subject = { id, targetType, targetId, ...(extra && { extra }) }
  if (feedType === 'published') return subject
  return { ...subject, to: [...new Set([postedUserId, ...(await findReviewerIds(tx, targetId))])] }
}
