import type { Db, Tx } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import { findCommentPlace, lockComment, type CommentRow } from './store.ts'
import { targetOf, type CommentReference, type CommentTarget, type Purpose } from './target.ts'

/** A comment and what it is on. */
export interface OpenComment {
  comment: CommentRow
  reference: CommentReference
  target: CommentTarget
}

/**
 * Locks a living comment that the viewer may see, and before it what it is on: counts of both may change. Fails with
 * `notFound`.
 */
export async function openComment(
  tx: Tx,
  viewer: Viewer,
  targets: CommentTarget[],
  commentId: string,
): Promise<OpenComment> {
  const place = (await findCommentPlace(tx, { commentId })) ?? fail('notFound')
  const target = targetOf(targets, place.referenceType)
  const reference = await target.lock(tx, viewer, place.referenceId, 'look')
  const comment = await lockComment(tx, place.id)
  if (!comment || comment.isDeleted) return fail('notFound')
  return { comment, reference, target }
}

/** A comment on an object the viewer may see; deleted ones stay readable. Fails with `notFound`. */
export async function requireReadableComment(
  db: Db,
  viewer: Viewer,
  targets: CommentTarget[],
  commentId: string,
  purpose: Purpose = 'look',
): Promise<{ id: string }> {
  const place = (await findCommentPlace(db, { commentId })) ?? fail('notFound')
  await targetOf(targets, place.referenceType).resolve(db, viewer, place.referenceId, purpose)
  return place
}
