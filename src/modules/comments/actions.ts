import { now } from '../../platform/clock.ts'
import { newId } from '../../platform/ids.ts'
import type { Tx } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import { emit } from '../../kernel/outbox/emit.ts'
import { jsonBytes } from '../../kernel/schema.ts'
import { isAdmin, type Viewer } from '../../kernel/viewer.ts'
import { findFilesById } from '../files/index.ts'
import { clearFlags } from '../flags/index.ts'
import { resolveUserIds } from '../users/index.ts'
import { commentCreated, commentReplied, commentUnflagged } from './events.ts'
import { canClearFlags } from './policy.ts'
import { commentPath } from './present.ts'
import type { CreateCommentBody } from './schema.ts'
import {
  adjustChildrenNumber,
  insertComment,
  lockComment,
  nextSegment,
  updateComment,
  type CommentRow,
} from './store.ts'
import type { CommentTarget } from './target.ts'

const maxMetadataBytes = 100_000

/** Comments on an object, or answers a comment on it. Answers the internal id. */
export async function createComment(
  tx: Tx,
  viewer: Viewer,
  target: CommentTarget,
  body: CreateCommentBody,
): Promise<string> {
  const reference = await target.lock(tx, viewer, body.referenceId)
  const attachments = await readAttachments(tx, body)
  const text = body.data?.text ?? ''
  if (text.trim() === '' && attachments.length === 0)
    fail('badRequest', 'a comment needs text or an attachment')
  if (body.metadata && jsonBytes(body.metadata) > maxMetadataBytes) fail('invalid', 'metadata is too large')
  if (body.createdAt !== undefined && !isAdmin(viewer)) fail('permissionDenied', 'createdAt')
  const parent = body.parentId ? await lockParent(tx, body.parentId, target.type, reference.id) : null

  const id = newId()
  const placed = {
    id,
    referenceType: target.type,
    referenceId: reference.id,
    targetType: reference.targetType,
    targetId: reference.targetId,
  }
  const at = body.createdAt === undefined ? now() : new Date(body.createdAt)
  const mentioned = await resolveUserIds(tx, body.mentionees?.[0]?.userIds ?? [])
  await insertComment(tx, {
    ...placed,
    commentId: body.commentId ?? id,
    parentId: parent?.id ?? null,
    rootId: parent?.rootId ?? id,
    userId: viewer.id,
    dataTypes: [...(text ? ['text'] : []), ...(attachments.length > 0 ? ['image'] : [])],
    data: JSON.stringify({ ...body.data, text }),
    metadata: JSON.stringify(body.metadata ?? {}),
    attachments: JSON.stringify(attachments),
    links: JSON.stringify(body.links ?? []),
    mentionedUserIds: [...new Set(mentioned)],
    segmentNumber: await nextSegment(tx, target.type, reference.id),
    editedAt: at,
    createdAt: at,
    updatedAt: at,
  })
  if (parent) await adjustChildrenNumber(tx, parent.id, 1)
  await target.adjustCommentsCount(tx, reference.id, 1)
  await emit(tx, parent ? commentReplied : commentCreated, {
    actorId: viewer.id,
    subject: { id, path: commentPath(placed) },
  })
  return id
}

/** Takes back everyone's flags of a comment. Answers the internal id. */
export async function clearCommentFlags(
  tx: Tx,
  viewer: Viewer,
  targets: CommentTarget[],
  commentId: string,
): Promise<string> {
  const comment = await lockComment(tx, commentId)
  if (!comment) return fail('notFound')
  const target = targets.find(({ type }) => type === comment.referenceType) ?? fail('notFound')
  const { membership } = await target.resolve(tx, viewer, comment.referenceId)
  if (!canClearFlags(viewer, comment, membership)) fail('permissionDenied')
  const { changed, flagCount, hashFlag } = await clearFlags(tx, 'comment', comment.id)
  if (!changed) return comment.id
  await updateComment(tx, comment.id, {
    flagCount,
    hashFlag: hashFlag && JSON.stringify(hashFlag),
    updatedAt: now(),
  })
  await target.adjustFlaggedCommentsCount(tx, comment.referenceId, -1)
  await emit(tx, commentUnflagged, {
    actorId: viewer.id,
    subject: { id: comment.id, path: commentPath(comment), extra: { flaggedUserId: viewer.userId } },
  })
  return comment.id
}

async function lockParent(
  tx: Tx,
  commentId: string,
  referenceType: string,
  referenceId: string,
): Promise<CommentRow> {
  const parent = await lockComment(tx, commentId)
  const isHere =
    parent?.referenceType === referenceType && parent.referenceId === referenceId && !parent.isDeleted
  return isHere ? parent : fail('notFound', 'parentId')
}

async function readAttachments(
  tx: Tx,
  { attachments = [] }: CreateCommentBody,
): Promise<{ type: 'image'; fileId: string }[]> {
  const files = new Map(
    (
      await findFilesById(
        tx,
        attachments.map(({ fileId }) => fileId),
      )
    ).map((file) => [file.id, file]),
  )
  return attachments.map(({ fileId }) => {
    const file = files.get(fileId)
    if (!file || file.isDeleted) return fail('notFound', `file ${fileId}`)
    if (file.type !== 'image') return fail('badRequest', `file ${fileId} is not an image`)
    return { type: 'image', fileId }
  })
}
