import { byId, slot, type Resource } from '../../kernel/envelope/resource.ts'
import { shape } from '../../kernel/envelope/shape.ts'
import { findReactionNames } from '../reactions/index.ts'
import { presentComment, type CommentState } from './present.ts'
import { Comment } from './schema.ts'
import { findCommentsById, type CommentRow } from './store.ts'

const commentResource: Resource<CommentRow, CommentState> = {
  name: 'comments',
  load: async ({ db }, ids) => byId(await findCommentsById(db, ids), (row) => row.id),
  references(row, viewer) {
    const attachments = row.attachments as { fileId: string }[]
    const inCommunity = row.targetType === 'community'
    return {
      users: [row.userId, ...row.mentionedUserIds],
      commentChildren: row.childIds,
      files: attachments.map(({ fileId }) => fileId),
      communityUsers: inCommunity
        ? [`${row.targetId}:${row.userId}`, ...(viewer ? [`${row.targetId}:${viewer.id}`] : [])]
        : [],
    }
  },
  async viewerState({ db, viewer }, rows) {
    const names = await findReactionNames(db, viewer.id, 'comment', [...rows.keys()])
    return new Map([...rows.keys()].map((id) => [id, { myReactions: names.get(id) ?? [] }]))
  },
}

export const commentSlots = {
  comments: slot(commentResource, Comment, presentComment),
  commentChildren: slot(commentResource, Comment, presentComment),
}

export const commentShape = shape('comments', 'commentChildren', 'communityUsers', 'users', 'roles', 'files')
