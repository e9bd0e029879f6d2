import { now } from '../../platform/clock.ts'
import { fail } from '../../kernel/errors.ts'
import { emit } from '../../kernel/outbox/emit.ts'
import { countReaction, type ReactionTarget } from '../reactions/index.ts'
import { postReactionAdded, postReactionRemoved } from './events.ts'
import { lockForInteraction, requireLivingPostById } from './interaction.ts'
import { lockPost, updatePost } from './store.ts'

/** Reactions to posts and to what is attached to them. */
export const postReactionTarget: ReactionTarget = {
  type: 'post',
  resolve: async (db, viewer, id) => (await requireLivingPostById(db, viewer, id)).post.id,
  lock: async (tx, viewer, id) => (await lockForInteraction(tx, viewer, id)).post.id,
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
