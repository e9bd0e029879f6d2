import { now } from '../../platform/clock.ts'
import type { Db, Tx } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import { emit } from '../../kernel/outbox/emit.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import type { CommentReference, CommentTarget } from '../comments/index.ts'
import { adjustFlaggedCommentsCount, findMembership, requireMember } from '../communities/index.ts'
import { countReaction, type ReactionTarget } from '../reactions/index.ts'
import { postReactionAdded, postReactionRemoved } from './events.ts'
import { requireReadable, requireReadablePost } from './queries.ts'
import { addToPostCounts, lockPost, updatePost, type PostRow } from './store.ts'

/** Reactions to posts. */
export const postReactionTarget: ReactionTarget = {
  type: 'post',
  resolve: async (db, viewer, id) => (await requireReadablePost(db, viewer, id)).id,
  lock: async (tx, viewer, id) => (await lockForInteraction(tx, viewer, id)).id,
  async apply(tx, viewer, { id, name, delta, reactor }) {
    const post = (await lockPost(tx, id)) ?? fail('notFound')
    const reactions = countReaction(post.reactions as Record<string, number>, name, delta)
    await updatePost(tx, id, {
      reactions: JSON.stringify(reactions),
      reactionsCount: post.reactionsCount + delta,
      updatedAt: now(),
    })
    await emit(tx, delta > 0 ? postReactionAdded : postReactionRemoved, {
      actorId: viewer.id,
      subject: { id, targetType: post.targetType, targetId: post.targetId, extra: { reactor } },
    })
  },
}

/** Comments on posts. */
export const postCommentTarget: CommentTarget = {
  type: 'post',
  resolve: async (db, viewer, id) => referenceOf(db, viewer, await requireReadablePost(db, viewer, id)),
  lock: async (tx, viewer, id) => referenceOf(tx, viewer, await lockForInteraction(tx, viewer, id)),
  adjustCommentsCount: (tx, id, delta) => addToPostCounts(tx, id, { commentsCount: delta }),
  async adjustFlaggedCommentsCount(tx, id, delta) {
    await addToPostCounts(tx, id, { flaggedCommentsCount: delta })
    const post = (await lockPost(tx, id)) ?? fail('notFound')
    if (post.targetType === 'community') await adjustFlaggedCommentsCount(tx, post.targetId, delta)
  },
}

// Reading is enough to look; to take part one must be a member, and the post still there.
async function lockForInteraction(tx: Tx, viewer: Viewer, id: string): Promise<PostRow> {
  const post = await lockPost(tx, id)
  if (!post || post.isDeleted) return fail('notFound')
  await requireReadable(tx, viewer, post)
  if (post.targetType === 'community') await requireMember(tx, viewer, post.targetId)
  return post
}

async function referenceOf(db: Db, viewer: Viewer, post: PostRow): Promise<CommentReference> {
  return {
    id: post.id,
    targetType: post.targetType as CommentReference['targetType'],
    targetId: post.targetId,
    membership:
      post.targetType === 'community' ? await findMembership(db, post.targetId, viewer.id) : undefined,
  }
}
