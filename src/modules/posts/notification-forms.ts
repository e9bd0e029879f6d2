import { shape } from '../../kernel/envelope/shape.ts'
import { notificationForm } from '../../kernel/outbox/notification.ts'
import type { PostSubject } from './event-subject.ts'

const envelope = {
  shape: shape('posts', 'users', 'files', 'communities'),
  roots: ({ id, to = [], extra }: PostSubject) => {
    const { reactor } = (extra ?? {}) as { reactor?: { userInternalId: string } }
    return { posts: [id], users: reactor ? [...to, reactor.userInternalId] : to }
  },
}

const formsOf = (...names: string[]) => names.map((name) => notificationForm(name, envelope))

export const postCreatedNotifications = formsOf(
  'post.created',
  'post.need-reviewing',
  'mention-post.created',
  'mention-user-feed-post.created',
)
export const postApprovedNotifications = formsOf('post.approved', 'post.created', 'mention-post.created')
export const postReactedNotifications = formsOf('post.reacted')
