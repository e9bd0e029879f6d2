import { now } from '../../platform/clock.ts'
import { fail } from '../../kernel/errors.ts'
import { emit } from '../../kernel/outbox/emit.ts'
import { countReaction, type ReactionTarget } from '../reactions/index.ts'
import { commentReactionAdded, commentReactionRemoved } from './events.ts'
import { requireReadableComment } from './open.ts'
import { commentPath } from './present.ts'
import { lockComment, updateComment } from './store.ts'
import type { CommentTarget } from './target.ts'

/** Reactions to comments on what the targets stand for. */
export function createCommentReactionTarget(targets: CommentTarget[]): ReactionTarget {
  return {
    type: 'comment',
    resolve: async (db, viewer, commentId) =>
      (await requireReadableComment(db, viewer, targets, commentId)).id,
    // Counts of the comment alone change, so what it is on need not be locked: reactions below it do not queue up.
    async lock(tx, viewer, commentId) {
      const { id } = await requireReadableComment(tx, viewer, targets, commentId, 'takePart')
      const comment = await lockComment(tx, id)
      return comment && !comment.isDeleted ? comment.id : fail('notFound')
    },
    async apply(tx, viewer, { id, name, delta, reactor }) {
      const comment = (await lockComment(tx, id)) ?? fail('notFound')
      const reactions = countReaction(comment.reactions as Record<string, number>, name, delta)
      await updateComment(tx, id, {
        reactions: JSON.stringify(reactions),
        reactionsCount: comment.reactionsCount + delta,
        updatedAt: now(),
      })
      await emit(tx, delta > 0 ? commentReactionAdded : commentReactionRemoved, {
        actorId: viewer.id,
        subject: { id, path: commentPath(comment), extra: { reactor } },
      })
    },
  }
}
