import { now } from '../../platform/clock.ts'
import type { Tx } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import { emit } from '../../kernel/outbox/emit.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import { adjustFeedCount } from '../feeds/index.ts'
import { countPost, feedIdFor, indexHashtags, subjectOf } from './counting.ts'
import { postApproved, postDeclined } from './events.ts'
import { lockLivingPost } from './locking.ts'
import { canReviewPosts } from './policy.ts'
import { updatePosts } from './store.ts'

/** Publishes or declines a post that waits for review, with what is attached to it. Answers its id. */
export async function reviewPost(
  tx: Tx,
  viewer: Viewer,
  id: string,
  verdict: 'published' | 'declined',
): Promise<string> {
  const { post, parent, access } = await lockLivingPost(tx, viewer, id)
  if (!canReviewPosts(viewer, access)) fail('permissionDenied', 'REVIEW_COMMUNITY_POST')
  if (parent) fail('badRequest', 'a post is reviewed as a whole')
  if (post.feedType !== 'reviewing') fail('conflict', `the post is ${post.feedType}`)
  const at = now()
  const feedId = await feedIdFor(tx, post, verdict)
  const reviewed = { feedId, feedType: verdict, publishedAt: verdict === 'published' ? at : null }
  await updatePosts(tx, [id, ...post.children], { ...reviewed, updatedAt: at })
  await countPost(tx, { ...post, ...reviewed }, 1)
  await adjustFeedCount(tx, post.feedId, -1)
  await indexHashtags(tx, { ...post, ...reviewed })
  await emit(tx, verdict === 'published' ? postApproved : postDeclined, {
    actorId: viewer.id,
    subject: await subjectOf(tx, { ...post, ...reviewed }, { flaggedUserId: viewer.userId }),
  })
  return id
}
