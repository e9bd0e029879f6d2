import type { Db, Tx } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import { isBlockedEitherWay } from '../follows/index.ts'
import { seesBlocked } from './policy.ts'
import { findCommentPlace, lockComment, type CommentRow } from './store.ts'
import { targetOf, type CommentReference, type CommentTarget, type Purpose } from './target.ts'

/** A comment and what it is on. */
export interface OpenComment {
  comment: CommentRow
  reference: CommentReference
  target: CommentTarget
}

type Place = NonNullable<Awaited<ReturnType<typeof findCommentPlace>>>

/** Where a comment stands, and what it is on. */
export interface SeenComment {
  place: Place
  reference: CommentReference
  target: CommentTarget
}

/**
 * A comment that the viewer may see, deleted or not: one on an object they may see, by nobody who blocked them or whom
 * they blocked. Fails with `notFound`; or, as the target does, for those who may not take part.
 */
export async function requireReadableComment(
  db: Db,
  viewer: Viewer,
  targets: CommentTarget[],
  commentId: string,
  purpose: Purpose = 'look',
): Promise<SeenComment> {
  const place = (await findCommentPlace(db, { commentId })) ?? fail('notFound')
  const target = targetOf(targets, place.referenceType)
  const reference = await target.resolve(db, viewer, place.referenceId, purpose)
  await requireUnblocked(db, viewer, place, reference)
  return { place, reference, target }
}

/** As `requireReadableComment`, locked; before it what it is on, because counts of both may change. */
export async function openComment(
  tx: Tx,
  viewer: Viewer,
  targets: CommentTarget[],
  commentId: string,
): Promise<OpenComment> {
  const place = (await findCommentPlace(tx, { commentId })) ?? fail('notFound')
  const target = targetOf(targets, place.referenceType)
  const reference = await target.lock(tx, viewer, place.referenceId, 'look')
  await requireUnblocked(tx, viewer, place, reference)
  const comment = (await lockComment(tx, place.id)) ?? fail('notFound')
  return { comment, reference, target }
}

/** As `openComment`, for a comment that is not deleted. */
export async function openLivingComment(
  tx: Tx,
  viewer: Viewer,
  targets: CommentTarget[],
  commentId: string,
): Promise<OpenComment> {
  const open = await openComment(tx, viewer, targets, commentId)
  return open.comment.isDeleted ? fail('notFound') : open
}

/** Fails with `notFound` where the viewer and the author blocked one another, unless the viewer moderates here. */
export async function requireUnblocked(
  db: Db,
  viewer: Viewer,
  comment: Pick<Place, 'userId' | 'targetType'>,
  { membership }: CommentReference,
): Promise<void> {
  if (comment.userId === viewer.id || seesBlocked(viewer, comment, membership)) return
  if (await isBlockedEitherWay(db, viewer.id, comment.userId)) fail('notFound')
}
