import { now } from '../../platform/clock.ts'
import { newId } from '../../platform/ids.ts'
import type { Tx } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import { emit } from '../../kernel/outbox/emit.ts'
import { isAdmin, type Viewer } from '../../kernel/viewer.ts'
import { touchMembership } from '../communities/index.ts'
import { deleteFlagsOf } from '../flags/index.ts'
import { deleteReactionsOf } from '../reactions/index.ts'
import { readContent, requireAllowedContent } from './content.ts'
import {
  commentCreated,
  commentDeleted,
  commentReplied,
  commentUpdated,
  type CommentSubject,
} from './events.ts'
import { openComment, openLivingComment, requireUnblocked } from './open.ts'
import { canDeleteComment, canEditComment } from './policy.ts'
import { commentPath, presentComment } from './present.ts'
import type { CreateCommentBody, UpdateCommentBody } from './schema.ts'
import {
  adjustChildrenNumber,
  deleteComments,
  findCommentIdsOn,
  findCommentPlace,
  findCommentsById,
  findThread,
  insertComment,
  lockComment,
  markCommentsDeleted,
  nextSegment,
  updateComment,
  type CommentRow,
} from './store.ts'
import { targetOf, type CommentReference, type CommentTarget } from './target.ts'

/** Comments on an object, or answers a comment on it. Answers the internal id. */
export async function createComment(
  tx: Tx,
  viewer: Viewer,
  targets: CommentTarget[],
  body: CreateCommentBody,
): Promise<string> {
  const target = targetOf(targets, body.referenceType)
  await requireAllowedContent(tx, viewer, body, false)
  const content = await readContent(tx, body)
  const at = readCreatedAt(viewer, body.createdAt)
  const reference = await target.lock(tx, viewer, body.referenceId, 'takePart')
  const parent = body.parentId ? await lockParent(tx, viewer, body.parentId, target.type, reference) : null

  const id = newId()
  const placed = {
    id,
    referenceType: target.type,
    referenceId: reference.id,
    targetType: reference.targetType,
    targetId: reference.targetId,
  }
  await insertComment(tx, {
    ...placed,
    ...content,
    commentId: body.commentId ?? id,
    parentId: parent?.id ?? null,
    rootId: parent?.rootId ?? id,
    userId: viewer.id,
    segmentNumber: await nextSegment(tx, target.type, reference.id),
    editedAt: at,
    createdAt: at,
    updatedAt: now(),
  })
  if (parent) await adjustChildrenNumber(tx, parent.id, 1)
  await target.adjustCommentsCount(tx, reference.id, 1)
  if (reference.targetType === 'community') await touchMembership(tx, reference.targetId, viewer.id)
  await emit(tx, parent ? commentReplied : commentCreated, {
    actorId: viewer.id,
    subject: { id, path: commentPath(placed), ...(parent && { parentId: parent.id }) },
  })
  return id
}

/** Changes what a comment says. `keepEditedAt` leaves no mark of it, which only admins may. Answers the internal id. */
export async function editComment(
  tx: Tx,
  viewer: Viewer,
  targets: CommentTarget[],
  commentId: string,
  body: UpdateCommentBody,
  keepEditedAt: boolean,
): Promise<string> {
  if (keepEditedAt && !isAdmin(viewer)) fail('permissionDenied', 'preserve-edited-at')
  await requireAllowedContent(tx, viewer, body, true)
  const { comment, reference, target } = await openLivingComment(tx, viewer, targets, commentId)
  if (!canEditComment(viewer, comment, reference.membership)) fail('permissionDenied')
  // Authors must still be able to take part; moderators of the network need not be members.
  if (comment.userId === viewer.id) await target.lock(tx, viewer, reference.id, 'takePart')
  const content = await readContent(tx, body, comment)
  const at = now()
  await updateComment(tx, comment.id, { ...content, ...(!keepEditedAt && { editedAt: at }), updatedAt: at })
  await emit(tx, commentUpdated, {
    actorId: viewer.id,
    subject: { id: comment.id, path: commentPath(comment) },
  })
  return comment.id
}

/**
 * Deletes a comment with all answers below it. Softly they stay in place, emptied; `permanent` removes them with their
 * reactions and flags. A comment that is deleted already may still be removed for good.
 */
export async function deleteComment(
  tx: Tx,
  viewer: Viewer,
  targets: CommentTarget[],
  commentId: string,
  permanent: boolean,
): Promise<void> {
  const { comment, reference, target } = await openComment(tx, viewer, targets, commentId)
  if (!canDeleteComment(viewer, comment, reference.membership)) fail('permissionDenied')
  if (comment.isDeleted && !permanent) return
  await deleteThread(tx, viewer, target, comment, permanent)
}

/** Deletes a comment with all answers below it, and asks nobody. It is locked, and before it what it is on. */
export async function deleteThread(
  tx: Tx,
  viewer: Viewer,
  target: Pick<CommentTarget, 'adjustCommentsCount' | 'adjustFlaggedCommentsCount'>,
  comment: CommentRow,
  permanent: boolean,
): Promise<void> {
  const thread = await findThread(tx, comment.id)
  const living = thread.filter((one) => !one.isDeleted)
  const livingIds = living.map(({ id }) => id)
  const at = now()
  const last = permanent ? await findCommentsById(tx, livingIds) : []
  if (permanent)
    await removeComments(
      tx,
      thread.map(({ id }) => id),
    )
  else await markCommentsDeleted(tx, livingIds, at)
  if (comment.parentId !== null && !comment.isDeleted) await adjustChildrenNumber(tx, comment.parentId, -1)
  const flagged = living.filter(({ flagCount }) => flagCount > 0).length
  if (living.length > 0) await target.adjustCommentsCount(tx, comment.referenceId, -living.length)
  if (flagged > 0) await target.adjustFlaggedCommentsCount(tx, comment.referenceId, -flagged)
  await emit(
    tx,
    commentDeleted,
    ...living.map((one) => ({
      actorId: viewer.id,
      subject: {
        id: one.id,
        path: commentPath(one),
        ...lastForm(
          last.find(({ id }) => id === one.id),
          at,
        ),
      },
    })),
  )
}

// Nothing is left to load of what was removed, so its event brings the last form along.
function lastForm(row: CommentRow | undefined, at: Date): Pick<CommentSubject, 'userIds' | 'extra'> {
  if (!row) return {}
  const gone = { ...row, childIds: [], childPublicIds: [], childrenNumber: 0, isDeleted: true, deletedAt: at }
  return { userIds: [row.userId], extra: { comments: [presentComment({ ...gone, updatedAt: at })] } }
}

/** Removes all comments on objects that are removed for good. Nobody is told: the objects' own events say it. */
export async function removeCommentsOn(
  tx: Tx,
  referenceType: CommentTarget['type'],
  referenceIds: string[],
): Promise<void> {
  await removeComments(tx, await findCommentIdsOn(tx, referenceType, referenceIds))
}

async function removeComments(tx: Tx, ids: string[]): Promise<void> {
  await deleteComments(tx, ids)
  await deleteReactionsOf(tx, 'comment', ids)
  await deleteFlagsOf(tx, 'comment', ids)
}

async function lockParent(
  tx: Tx,
  viewer: Viewer,
  commentId: string,
  referenceType: string,
  reference: CommentReference,
): Promise<CommentRow> {
  const place = await findCommentPlace(tx, { commentId, referenceType, referenceId: reference.id })
  if (!place) return fail('notFound', 'parentId')
  await requireUnblocked(tx, viewer, place, reference)
  const parent = await lockComment(tx, place.id)
  return parent && !parent.isDeleted ? parent : fail('notFound', 'parentId')
}

/** Only admins say when something was written, for what comes from elsewhere; never in the future. */
function readCreatedAt(viewer: Viewer, createdAt: string | undefined): Date {
  if (createdAt === undefined) return now()
  if (!isAdmin(viewer)) fail('permissionDenied', 'createdAt')
  const at = new Date(createdAt)
  if (!(at.getTime() >= 0)) fail('invalid', 'createdAt is not a time after 1970')
  if (at > now()) fail('invalid', 'createdAt is in the future')
  return at
}
