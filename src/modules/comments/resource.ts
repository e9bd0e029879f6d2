import { byId, slot, type Resource, type Slot } from '../../kernel/envelope/resource.ts'
import { shape } from '../../kernel/envelope/shape.ts'
import type { Db } from '../../kernel/database.ts'
import type { PermissionHolder } from '../../kernel/permissions.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import { findBlockedAmong } from '../follows/index.ts'
import { findReactionNames } from '../reactions/index.ts'
import { seesBlocked } from './policy.ts'
import { presentComment, type CommentState } from './present.ts'
import { Comment } from './schema.ts'
import { findCommentsById, type CommentRow } from './store.ts'
import type { CommentTarget } from './target.ts'

/** `readable` says of what the comments are on what the viewer may see, and what they may do there. */
function createCommentResource(
  name: string,
  readable: (db: Db, viewer: Viewer, rows: CommentRow[]) => Promise<Map<string, PermissionHolder | null>>,
): Resource<CommentRow, CommentState> {
  return {
    name,
    load: async (db, ids) => byId(await findCommentsById(db, ids), (row) => row.id),
    references(row, viewer) {
      const attachments = row.isDeleted ? [] : (row.attachments as { fileId: string }[])
      const mentioned = row.isDeleted ? [] : row.mentionedUserIds
      const inCommunity = row.targetType === 'community'
      return {
        users: [row.userId, ...mentioned],
        commentChildren: row.childIds,
        files: attachments.map(({ fileId }) => fileId),
        communityUsers: inCommunity
          ? [`${row.targetId}:${row.userId}`, ...(viewer ? [`${row.targetId}:${viewer.id}`] : [])]
          : [],
      }
    },
    async viewerState({ db, viewer }, rows) {
      const comments = [...rows.values()]
      const [names, references, blocked] = await Promise.all([
        findReactionNames(db, viewer.id, 'comment', [...rows.keys()]),
        readable(db, viewer, comments),
        findBlockedAmong(db, viewer.id, [...new Set(comments.map((row) => row.userId))]),
      ])
      // A comment is as hidden as what it is on, and as who wrote it.
      const isVisible = (row: CommentRow) => {
        const membership = references.get(referenceKey(row))
        if (membership === undefined) return false
        return !blocked.has(row.userId) || seesBlocked(viewer, row, membership ?? undefined)
      }
      return new Map(
        [...rows].map(([id, row]) => [id, { myReactions: names.get(id) ?? [], isVisible: isVisible(row) }]),
      )
    },
    visible: (_row, _viewer, state) => state?.isVisible === true,
  }
}

type Referring = Pick<CommentRow, 'referenceType' | 'referenceId'>

function referenceKey({ referenceType, referenceId }: Referring): string {
  return `${referenceType} ${referenceId}`
}

/** What the viewer may do where each readable object is, null for nothing of note. */
async function findReadableReferences(
  db: Db,
  viewer: Viewer,
  targets: CommentTarget[],
  rows: Referring[],
): Promise<Map<string, PermissionHolder | null>> {
  const readable = await Promise.all(
    targets.map(async ({ type, findReadable }) => {
      const ids = new Set(rows.filter((row) => row.referenceType === type).map((row) => row.referenceId))
      const found = ids.size > 0 ? [...(await findReadable(db, viewer, [...ids]))] : []
      return found.map(
        ([referenceId, membership]) =>
          [referenceKey({ referenceType: type, referenceId }), membership ?? null] as const,
      )
    }),
  )
  return new Map(readable.flat())
}

/**
 * The slots of comments on what the targets stand for. `commentPreviews` is for answers that hold the objects
 * themselves: what these refer to is not asked again whether its object may be seen.
 */
export function createCommentSlots(targets: CommentTarget[]): Record<string, Slot> {
  const resource = createCommentResource('comments', (db, viewer, rows) =>
    findReadableReferences(db, viewer, targets, rows),
  )
  const previews = createCommentResource(
    'commentPreviews',
    async (_db, _viewer, rows) => new Map(rows.map((row) => [referenceKey(row), null])),
  )
  return {
    comments: slot(resource, Comment, presentComment),
    commentChildren: slot(resource, Comment, presentComment),
    commentPreviews: slot(previews, Comment, presentComment),
  }
}

export const commentShape = shape('comments', 'commentChildren', 'communityUsers', 'users', 'roles', 'files')
