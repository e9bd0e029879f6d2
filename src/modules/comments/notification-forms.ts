import { shape } from '../../kernel/envelope/shape.ts'
import type { WebhookForm } from '../../kernel/outbox/event.ts'
import {
  displayNameIn,
  notificationForm,
  textIn,
  type Notification,
} from '../../kernel/outbox/notification-form.ts'
import type { CommentSubject } from './event-subject.ts'
import type { Comment } from './schema.ts'

interface Told {
  comment: Comment
  /** The comment it answers. */
  parent: Comment | undefined
  /** The post it is on. */
  post: { postedUserId: string } | undefined
  /** What the one who wrote it is called. */
  author: string
}
type Data = Record<string, unknown[]>

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

function form(
  name: string,
  tell: (told: Told, data: Data, subject: CommentSubject) => Notification | null,
): WebhookForm<CommentSubject> {
  return notificationForm(name, envelope, (data, subject) => {
    const [comment, parent] = data.comments as Comment[]
    const [post] = data.posts as { postedUserId: string }[]
    if (!comment) return null
    return tell({ comment, parent, post, author: displayNameIn(data, comment.userId) }, data, subject)
  })
}

/** A notification to one person, unless they did it themselves. */
function to(userId: string | undefined, actorId: string, title: string, body: string): Notification | null {
  return userId === undefined || userId === actorId ? null : { title, body, targetIds: [userId] }
}

function mention(name: string, targetType: Comment['targetType'], where: string) {
  return form(name, ({ comment, author }) => {
    if (comment.targetType !== targetType) return null
    const mentioned = comment.mentionees.flatMap(({ userIds }) => userIds)
    const targetIds = mentioned.filter((userId) => userId !== comment.userId)
    const body = `${author} mentioned you in a ${where}: ${textIn(comment.data)}`
    return { title: author, body, targetIds }
  })
}

/** To the author of the post, and to those it mentions. */
export const commentCreatedNotifications = [
  form('comment.created', ({ comment, post, author }) => {
    const body = `${author} commented on your post: ${textIn(comment.data)}`
    return to(post?.postedUserId, comment.userId, author, body)
  }),
  mention('mention-comment.created', 'community', 'comment'),
  mention('mention-user-feed-comment.created', 'user', 'comment'),
]

/** To the author of the comment it answers, and to those it mentions. */
export const commentRepliedNotifications = [
  form('comment.replied', ({ comment, parent, author }) => {
    const body = `${author} replied to your comment: ${textIn(comment.data)}`
    return to(parent?.userId, comment.userId, author, body)
  }),
  mention('mention-comment.replied', 'community', 'reply'),
  mention('mention-user-feed-comment.replied', 'user', 'reply'),
]

export const commentReactedNotifications = [
  form('comment.reacted', ({ comment }, data, { extra }) => {
    const { reactor } = (extra ?? {}) as { reactor?: { userPublicId: string } }
    if (!reactor) return null
    const name = displayNameIn(data, reactor.userPublicId)
    return to(comment.userId, reactor.userPublicId, name, `${name} reacted to your comment.`)
  }),
]
