import { byId, slot, type Resource, type Slot } from '../../kernel/envelope/resource.ts'
import { shape } from '../../kernel/envelope/shape.ts'
import type { Db } from '../../kernel/database.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import { findReactionNames } from '../reactions/index.ts'
import { presentComment, type CommentState } from './present.ts'
import { Comment } from './schema.ts'
import { findCommentsById, type CommentRow } from './store.ts'
import type { CommentTarget } from './target.ts'

function createCommentResource(targets: CommentTarget[]): Resource<CommentRow, CommentState> {
  return {
    name: 'comments',
    load: async ({ db }, ids) => byId(await findCommentsById(db, ids), (row) => row.id),
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
      const [names, readable] = await Promise.all([
        findReactionNames(db, viewer.id, 'comment', [...rows.keys()]),
        findReadableReferences(db, viewer, targets, [...rows.values()]),
      ])
      return new Map(
        [...rows].map(([id, row]) => [
          id,
          { myReactions: names.get(id) ?? [], isReadable: readable.has(referenceKey(row)) },
        ]),
      )
    },
    // A comment is as hidden as what it is on.
    visible: (_row, _viewer, state) => state?.isReadable === true,
  }
}

type Referring = Pick<CommentRow, 'referenceType' | 'referenceId'>

function referenceKey({ referenceType, referenceId }: Referring): string {
  return `${referenceType} ${referenceId}`
}

async function findReadableReferences(
  db: Db,
  viewer: Viewer,
  targets: CommentTarget[],
  rows: Referring[],
): Promise<Set<string>> {
  const readable = await Promise.all(
    targets.map(async ({ type, findReadable }) => {
      const ids = new Set(rows.filter((row) => row.referenceType === type).map((row) => row.referenceId))
      if (ids.size === 0) return []
      const found = await findReadable(db, viewer, [...ids])
      return [...found].map((referenceId) => referenceKey({ referenceType: type, referenceId }))
    }),
  )
  return new Set(readable.flat())
}

/** The slots of comments on what the targets stand for. */
export function createCommentSlots(targets: CommentTarget[]): Record<string, Slot> {
  const resource = createCommentResource(targets)
  return {
    comments: slot(resource, Comment, presentComment),
    commentChildren: slot(resource, Comment, presentComment),
  }
}

export const commentShape = shape('comments', 'commentChildren', 'communityUsers', 'users', 'roles', 'files')
