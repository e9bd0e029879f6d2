import { shape } from '../../kernel/envelope/shape.ts'
import { notificationForm } from '../../kernel/outbox/notification.ts'
import type { CommentSubject } from './event-subject.ts'

const envelope = {
  shape: shape('posts', 'comments', 'users', 'files', 'communities', 'communityUsers'),
  roots: ({ id, path, parentId, extra }: CommentSubject) => {
    const { reactor } = (extra ?? {}) as { reactor?: { userInternalId: string } }
    const postId = /\/post\/([0-9a-f]{24})\/comment\//.exec(path)?.[1]
    return {
      comments: parentId === undefined ? [id] : [id, parentId],
      posts: postId === undefined ? [] : [postId],
      users: reactor ? [reactor.userInternalId] : [],
    }
  },
}

const formsOf = (...names: string[]) => names.map((name) => notificationForm(name, envelope))

export const commentCreatedNotifications = formsOf(
  'comment.created',
  'mention-comment.created',
  'mention-user-feed-comment.created',
)
export const commentRepliedNotifications = formsOf(
  'comment.replied',
  'mention-comment.replied',
  'mention-user-feed-comment.replied',
)
export const commentReactedNotifications = formsOf('comment.reacted')
