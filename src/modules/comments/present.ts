import { paths } from '../../kernel/paths.ts'
import { iso } from '../../kernel/schema.ts'
import type { Comment } from './schema.ts'
import type { CommentRow } from './store.ts'

/** What only this viewer sees of a comment. */
export interface CommentState {
  myReactions: string[]
  isVisible: boolean
}

type Placed = Pick<CommentRow, 'id' | 'referenceType' | 'referenceId' | 'targetType' | 'targetId'>

/** The topic of a comment: below the object it is on. */
export function commentPath({ id, referenceType, referenceId, targetType, targetId }: Placed): string {
  if (referenceType === 'post') return paths.comment(paths.post(targetType, targetId, referenceId), id)
  if (referenceType === 'story') return paths.comment(paths.story(targetType, targetId, referenceId), id)
  return paths.comment(paths.target('content', topicLevel(referenceId)), id)
}

// Who deletes a comment takes back what it said.
const unsaid = { data: { text: '' }, metadata: {}, attachments: [], links: [], mentionees: [] }

// What apps name their content may hold characters that topics reserve. Without `%`, which some clients decode.
function topicLevel(name: string): string {
  return encodeURIComponent(name).replaceAll('~', '%7E').replaceAll('%', '~')
}

export function presentComment(row: CommentRow, state?: CommentState): Comment {
  return {
    _id: row.id,
    commentId: row.commentId,
    path: commentPath(row),
    userId: row.userPublicId,
    userPublicId: row.userPublicId,
    userInternalId: row.userId,
    ...(row.parentPublicId !== null && { parentId: row.parentPublicId }),
    rootId: row.rootPublicId ?? row.commentId,
    referenceId: row.referenceId,
    referenceType: row.referenceType as Comment['referenceType'],
    targetId: row.targetPublicId,
    targetType: row.targetType as Comment['targetType'],
    dataType: row.dataTypes[0] ?? 'text',
    dataTypes: row.dataTypes,
    ...(row.isDeleted ? unsaid : presentContent(row)),
    children: row.childPublicIds,
    childrenNumber: row.childrenNumber,
    segmentNumber: row.segmentNumber,
    flagCount: row.flagCount,
    hashFlag: row.hashFlag as Comment['hashFlag'],
    reactions: row.reactions as Comment['reactions'],
    reactionsCount: row.reactionsCount,
    ...(state && { myReactions: state.myReactions }),
    isDeleted: row.isDeleted,
    deletedAt: iso(row.deletedAt),
    editedAt: iso(row.editedAt),
    createdAt: iso(row.createdAt),
    updatedAt: iso(row.updatedAt),
  }
}

function presentContent(row: CommentRow): Pick<Comment, keyof typeof unsaid> {
  const { mentionedUserIds, mentionedUserPublicIds } = row
  const mentionee = {
    type: 'user',
    userIds: mentionedUserPublicIds,
    userPublicIds: mentionedUserPublicIds,
    userInternalIds: mentionedUserIds,
  }
  return {
    data: row.data as Comment['data'],
    metadata: row.metadata as Comment['metadata'],
    attachments: row.attachments as Comment['attachments'],
    links: row.links as Comment['links'],
    mentionees: mentionedUserIds.length === 0 ? [] : [mentionee],
  }
}
