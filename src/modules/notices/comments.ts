import type { DispatchedEvent } from '../../kernel/outbox/dispatcher.ts'
import { happened, isImported, others, plain, reactionIdOf } from './happened.ts'
import type { Notice } from './notice.ts'
import type { CommentFacts } from './store.ts'

function placeOf(event: DispatchedEvent, comment: CommentFacts) {
  return {
    ...happened(event),
    ...plain,
    target: { type: comment.targetType, id: comment.targetId },
    reference: { type: comment.referenceType, id: comment.referenceId },
    parentId: comment.parent?.commentId ?? null,
    rootId: comment.parent?.rootId ?? null,
  }
}

/** Who is mentioned in a comment, and else whose post or comment it answers. Edits tell only those they mention. */
export function commentNotices(event: DispatchedEvent, comment: CommentFacts): Notice[] {
  const isNew = event.name !== 'comment.updated'
  if (isNew && isImported(event, comment.createdAt)) return []
  const { parent } = comment
  const about = { ...placeOf(event, comment), act: { type: 'comment', id: comment.id } } as const
  const mentioned = others(event, comment.mentionedUserIds).filter((id) => id !== comment.authorId)
  const notices = mentioned.map((id): Notice => ({
    ...about,
    actorId: comment.authorId,
    kind: parent ? 'mention_in_reply' : 'mention_in_comment',
    audience: { type: 'user', id },
    subjectId: comment.id,
    day: comment.createdAt,
    actionReferenceId: comment.commentId,
  }))
  const answered = parent ? parent.authorId : comment.postAuthorId
  if (!isNew || answered === null || answered === comment.authorId || mentioned.includes(answered)) {
    return notices
  }
  const answer: Notice = {
    ...about,
    kind: parent ? 'reply' : 'comment',
    audience: { type: 'user', id: answered },
    subjectId: parent?.id ?? comment.referenceId,
  }
  return [...notices, answer]
}

/** The author of the comment that was reacted to. */
export function commentReactionNotices(event: DispatchedEvent, comment: CommentFacts): Notice[] {
  const reactionId = reactionIdOf(event)
  if (reactionId === undefined) return []
  return others(event, [comment.authorId]).map((id) => ({
    ...placeOf(event, comment),
    kind: comment.parent ? 'reaction_on_reply' : 'reaction_on_comment',
    audience: { type: 'user', id },
    subjectId: comment.id,
    act: { type: 'reaction', id: reactionId },
    actionReferenceId: comment.commentId,
  }))
}
