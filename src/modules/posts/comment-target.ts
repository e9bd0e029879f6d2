import type { CommentReference, CommentTarget, Purpose } from '../comments/index.ts'
import { adjustFlaggedCommentsCount } from '../communities/index.ts'
import { fail } from '../../kernel/errors.ts'
import type { Db } from '../../kernel/database.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import { requireInteraction, requireLivingPost } from './interaction.ts'
import { findReadable } from './queries.ts'
import { addToPostCounts, findPostsById, lockPost, type PostRow } from './store.ts'

/** Comments on posts. Those of a deleted post have gone with it. */
export const postCommentTarget: CommentTarget = {
  type: 'post',
  async resolve(db, viewer, id, purpose) {
    const [post] = await findPostsById(db, [id])
    return open(db, viewer, post, purpose)
  },
  lock: async (tx, viewer, id, purpose) => open(tx, viewer, await lockPost(tx, id), purpose),
  async findReadable(db, viewer, ids) {
    const posts = (await findPostsById(db, ids)).filter((post) => !post.isDeleted)
    return findReadable(db, viewer, new Map(posts.map((post) => [post.id, post])))
  },
  adjustCommentsCount: (tx, id, delta) => addToPostCounts(tx, id, { commentsCount: delta }),
  async adjustFlaggedCommentsCount(tx, id, delta) {
    const post = (await lockPost(tx, id)) ?? fail('notFound')
    await addToPostCounts(tx, id, { flaggedCommentsCount: delta })
    // What was flagged below a deleted post left the community's count with the post.
    if (post.targetType === 'community' && !post.isDeleted) {
      await adjustFlaggedCommentsCount(tx, post.targetId, delta)
    }
  },
}

async function open(
  db: Db,
  viewer: Viewer,
  found: PostRow | undefined,
  purpose: Purpose,
): Promise<CommentReference> {
  const require = purpose === 'takePart' ? requireInteraction : requireLivingPost
  const { post, access } = await require(db, viewer, found)
  return {
    id: post.id,
    targetType: post.targetType as CommentReference['targetType'],
    targetId: post.targetId,
    membership: access,
  }
}
