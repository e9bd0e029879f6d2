import { shape } from '../../kernel/envelope/shape.ts'
import type { WebhookForm } from '../../kernel/outbox/event.ts'
import {
  displayNameIn,
  notificationForm,
  textIn,
  type Notification,
} from '../../kernel/outbox/notification-form.ts'
import type { PostSubject } from './event-subject.ts'
import type { Post } from './schema.ts'

type Data = Record<string, unknown[]>
type Tell = (post: Post, data: Data, subject: PostSubject) => Notification | null

const envelope = {
  shape: shape('posts', 'users', 'files', 'communities'),
  roots: ({ id, to = [], extra }: PostSubject) => {
    const { reactor } = (extra ?? {}) as { reactor?: { userInternalId: string } }
    return { posts: [id], users: reactor ? [...to, reactor.userInternalId] : to }
  },
}

function form(name: string, tell: Tell): WebhookForm<PostSubject> {
  return notificationForm(name, envelope, (data, subject) => {
    const [post] = data.posts as Post[]
    return post ? tell(post, data, subject) : null
  })
}

function titleOf(post: Post, data: Data): string {
  const [community] = (data.communities ?? []) as { displayName: string }[]
  return community?.displayName ?? displayNameIn(data, post.postedUserId)
}

function mention(name: string, targetType: Post['targetType']): WebhookForm<PostSubject> {
  return form(name, (post, data, { to }) => {
    if (post.targetType !== targetType || to) return null
    const mentioned = post.mentionees.flatMap(({ userIds }) => userIds)
    const targetIds = mentioned.filter((userId) => userId !== post.postedUserId)
    const body = `${displayNameIn(data, post.postedUserId)} mentioned you in a post.`
    return { title: titleOf(post, data), body, targetIds }
  })
}

/** To all members of the community it is in, to those it mentions, or to those who have to review it. */
export const postCreatedNotifications = [
  form('post.created', (post, data, { to }) => {
    if (post.targetType !== 'community' || to) return null
    const body = `${displayNameIn(data, post.postedUserId)} posted: ${textIn(post.data)}`
    return { title: titleOf(post, data), body, targetIds: [post.targetId], isBroadcast: true }
  }),
  // By what was so when it was made: it may have been reviewed by the time it is told.
  form('post.need-reviewing', (post, data, { to }) => {
    if (!to) return null
    const reviewers = (data.users as { _id: string; userId: string }[]).filter(
      ({ _id, userId }) => to.includes(_id) && userId !== post.postedUserId,
    )
    const body = `A post of ${displayNameIn(data, post.postedUserId)} waits for review.`
    return { title: titleOf(post, data), body, targetIds: reviewers.map(({ userId }) => userId) }
  }),
  mention('mention-post.created', 'community'),
  mention('mention-user-feed-post.created', 'user'),
]

export const postApprovedNotifications = [
  form('post.approved', (post, data) => ({
    title: titleOf(post, data),
    body: 'Your post was approved.',
    targetIds: [post.postedUserId],
  })),
]

export const postReactedNotifications = [
  form('post.reacted', (post, data, { extra }) => {
    const { reactor } = (extra ?? {}) as { reactor?: { userPublicId: string } }
    if (!reactor || reactor.userPublicId === post.postedUserId) return null
    const title = displayNameIn(data, reactor.userPublicId)
    return { title, body: `${title} reacted to your post.`, targetIds: [post.postedUserId] }
  }),
]
