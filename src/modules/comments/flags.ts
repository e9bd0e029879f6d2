import { now } from '../../platform/clock.ts'
import type { Db, Tx } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import type { EventDefinition } from '../../kernel/outbox/event.ts'
import { emit } from '../../kernel/outbox/emit.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import {
  addFlag,
  clearFlags,
  findFlagged,
  removeFlag,
  type FlagBody,
  type FlagState,
} from '../flags/index.ts'
import { commentFlagged, commentFlagsCleared, commentUnflagged, type CommentSubject } from './events.ts'
import { openComment, requireReadableComment, type OpenComment } from './open.ts'
import { canClearFlags } from './policy.ts'
import { commentPath } from './present.ts'
import { updateComment } from './store.ts'
import type { CommentTarget } from './target.ts'

// What flagging does, beside the flags themselves: whoever may read a comment may report it, once.

export async function flagComment(
  tx: Tx,
  viewer: Viewer,
  targets: CommentTarget[],
  commentId: string,
  why: FlagBody,
): Promise<string> {
  const open = await openComment(tx, viewer, targets, commentId)
  return keep(tx, viewer, open, await addFlag(tx, viewer, 'comment', open.comment.id, why), [commentFlagged])
}

/** Takes the viewer's own flag back. */
export async function unflagComment(
  tx: Tx,
  viewer: Viewer,
  targets: CommentTarget[],
  commentId: string,
): Promise<string> {
  const open = await openComment(tx, viewer, targets, commentId)
  return keep(tx, viewer, open, await removeFlag(tx, viewer, 'comment', open.comment.id), [commentUnflagged])
}

/** Takes back everyone's flags of a comment. */
export async function clearCommentFlags(
  tx: Tx,
  viewer: Viewer,
  targets: CommentTarget[],
  commentId: string,
): Promise<string> {
  const open = await openComment(tx, viewer, targets, commentId)
  if (!canClearFlags(viewer, open.comment, open.reference.membership)) fail('permissionDenied')
  const cleared = await clearFlags(tx, 'comment', open.comment.id)
  return keep(tx, viewer, open, cleared, [commentUnflagged, commentFlagsCleared])
}

export async function isCommentFlaggedBy(
  db: Db,
  viewer: Viewer,
  targets: CommentTarget[],
  commentId: string,
): Promise<boolean> {
  const { id } = await requireReadableComment(db, viewer, targets, commentId)
  return (await findFlagged(db, 'comment', [id], viewer.id)).has(id)
}

/** Writes the new state of the flags to the comment and counts it where it is. Answers the internal id. */
async function keep(
  tx: Tx,
  viewer: Viewer,
  { comment, reference, target }: OpenComment,
  { changed, flagCount, hashFlag }: FlagState,
  events: EventDefinition<CommentSubject>[],
): Promise<string> {
  if (!changed) return comment.id
  await updateComment(tx, comment.id, {
    flagCount,
    hashFlag: hashFlag && JSON.stringify(hashFlag),
    updatedAt: now(),
  })
  const delta = Number(flagCount > 0) - Number(comment.flagCount > 0)
  if (delta !== 0) await target.adjustFlaggedCommentsCount(tx, reference.id, delta)
  const subject = { id: comment.id, path: commentPath(comment), extra: { flaggedUserId: viewer.userId } }
  for (const event of events) await emit(tx, event, { actorId: viewer.id, subject })
  return comment.id
}
