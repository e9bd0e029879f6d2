import type { CommentReference, CommentTarget } from '../comments/index.ts'
import { adjustFlaggedCommentsCount } from '../communities/index.ts'
import { fail } from '../../kernel/errors.ts'
import {
  findLivingReadable,
  lockForInteraction,
  requireLivingPost,
  requireLivingPostById,
} from './interaction.ts'
import type { ReadablePost } from './queries.ts'
import { addToPostCounts, lockPost } from './store.ts'

/** Comments on posts. Those of a deleted post have gone with it. */
export const postCommentTarget: CommentTarget = {
  type: 'post',
  resolve: async (db, viewer, id) => referenceOf(await requireLivingPostById(db, viewer, id)),
  lock: async (tx, viewer, id, purpose) =>
    referenceOf(
      purpose === 'takePart'
        ? await lockForInteraction(tx, viewer, id)
        : await requireLivingPost(tx, viewer, await lockPost(tx, id)),
    ),
  findReadable: findLivingReadable,
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

function referenceOf({ post, access }: ReadablePost): CommentReference {
  return {
    id: post.id,
    targetType: post.targetType as CommentReference['targetType'],
    targetId: post.targetId,
    membership: access,
  }
}
