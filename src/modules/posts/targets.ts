import { now } from '../../platform/clock.ts'
import type { Tx } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import { emit } from '../../kernel/outbox/emit.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import { requireMember } from '../communities/index.ts'
import { countReaction, type ReactionTarget } from '../reactions/index.ts'
import { postReactionAdded, postReactionRemoved } from './events.ts'
import { requireReadable, requireReadablePost } from './queries.ts'
import { lockPost, updatePost, type PostRow } from './store.ts'

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

// Reading is enough to look; to take part one must be a member, and the post still there.
async function lockForInteraction(tx: Tx, viewer: Viewer, id: string): Promise<PostRow> {
  const post = await lockPost(tx, id)
  if (!post || post.isDeleted) return fail('notFound')
  await requireReadable(tx, viewer, post)
  if (post.targetType === 'community') await requireMember(tx, viewer, post.targetId)
  return post
}
