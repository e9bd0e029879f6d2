import { shape } from '../../kernel/envelope/shape.ts'
import { defineEvent, type WebhookForm } from '../../kernel/outbox/event.ts'
import type { CommentSubject } from './event-subject.ts'
import {
  commentCreatedNotifications,
  commentReactedNotifications,
  commentRepliedNotifications,
} from './notification-forms.ts'

export type { CommentSubject } from './event-subject.ts'

const form = {
  shape: shape('comments', 'commentChildren', 'communityUsers', 'users', 'files'),
  roots: ({ id, userIds = [] }: CommentSubject) => ({ comments: [id], users: userIds }),
  extra: ({ extra }: CommentSubject) => extra ?? {},
}

interface Names {
  realtime?: string
  webhook?: string
  notifications?: WebhookForm<CommentSubject>[]
}

function commentEvent(name: string, { realtime, webhook, notifications = [] }: Names) {
  return defineEvent<CommentSubject>({
    name,
    audiences: ({ path }) => [path],
    realtime: { ...(realtime !== undefined && { name: realtime }), ...form },
    webhooks: [...(webhook ? [{ name: webhook, ...form }] : []), ...notifications],
  })
}

export const commentCreated = commentEvent('comment.created', {
  webhook: 'v3.comment.didCreate',
  notifications: commentCreatedNotifications,
})
/** A comment that answers another: the same to clients, a name of its own to webhooks. */
export const commentReplied = commentEvent('comment.replied', {
  realtime: 'comment.created',
  webhook: 'v3.comment.didReply',
  notifications: commentRepliedNotifications,
})
export const commentUpdated = commentEvent('comment.updated', { webhook: 'v3.comment.didUpdate' })
export const commentDeleted = commentEvent('comment.deleted', { webhook: 'v3.comment.didDelete' })
export const commentFlagged = commentEvent('comment.flagged', { webhook: 'v3.comment.didFlag' })
export const commentUnflagged = commentEvent('comment.unflagged', { webhook: 'v3.comment.didUnflag' })
/** Beside `comment.unflagged`, which clients listen to, when a moderator took all flags back. */
export const commentFlagsCleared = commentEvent('comment.flagsCleared', {})
export const commentReactionAdded = commentEvent('comment.addReaction', {
  webhook: 'v3.comment.didAddReaction',
  notifications: commentReactedNotifications,
})
export const commentReactionRemoved = commentEvent('comment.removeReaction', {
  webhook: 'v3.comment.didRemoveReaction',
})

export const commentEvents = [
  commentCreated,
  commentReplied,
  commentUpdated,
  commentDeleted,
  commentFlagged,
  commentUnflagged,
  commentFlagsCleared,
  commentReactionAdded,
  commentReactionRemoved,
]
