import { inTransaction, type Db } from '../../kernel/database.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import type { UserDeparture } from '../users/index.ts'
import { deleteThread } from './actions.ts'
import { findCommentsBy, lockComment, lockSegments, type CommentPlace } from './store.ts'
import { targetOf, type CommentTarget } from './target.ts'

const batch = 100

/**
 * The comments of a deleted user go where that is asked for, with the answers below them: softly with everything of
 * theirs, or for good.
 */
export function createCommentDeparture(targets: CommentTarget[]): UserDeparture {
  return {
    async clear({ db, signal }, viewer, userId, going) {
      if (going.kind !== 'deleted') return
      const { deleteAll, hardDeleteComment } = going.options
      if (!deleteAll && !hardDeleteComment) return
      while (!signal.aborted) {
        const places = await findCommentsBy(db, userId, hardDeleteComment ? 'all' : 'living', batch)
        if (places.length === 0) return
        for (const place of places) {
          if (signal.aborted) return
          await deleteComment(db, viewer, targets, place, hardDeleteComment)
        }
      }
    },
  }
}

async function deleteComment(
  db: Db,
  viewer: Viewer,
  targets: CommentTarget[],
  { id, referenceType, referenceId }: CommentPlace,
  permanent: boolean,
): Promise<void> {
  const target = targetOf(targets, referenceType)
  await inTransaction(db, async (tx) => {
    // What it is on is locked first, as by everybody, but without asking who may see it: it may be deleted.
    await target.adjustCommentsCount(tx, referenceId, 0)
    if (referenceType === 'content') await lockSegments(tx, referenceType, referenceId)
    const comment = await lockComment(tx, id)
    if (comment && (permanent || !comment.isDeleted))
      await deleteThread(tx, viewer, target, comment, permanent)
  })
}
