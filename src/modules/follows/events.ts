import { shape } from '../../kernel/envelope/shape.ts'
import { defineEvent, type EventDefinition, type WebhookForm } from '../../kernel/outbox/event.ts'
import { notificationForm } from '../../kernel/outbox/notification.ts'
import { paths } from '../../kernel/paths.ts'
import { pairId, type Pair } from './pair.ts'
import type { FollowStatus } from './schema.ts'

export interface FollowSubject extends Pair {
  /** What the relation became. */
  status: FollowStatus
}

const form = {
  shape: shape('follows', 'users', 'files'),
  roots: (pair: FollowSubject) => ({ follows: [pairId(pair)] }),
}

/**
 * Both people hear of it on their membership topics. Who follows may read more where pages are private, so what the
 * one who follows listens to is judged again.
 */
function followEvent(
  name: string,
  webhook: string,
  notification?: WebhookForm<FollowSubject>,
): EventDefinition<FollowSubject> {
  return defineEvent<FollowSubject>({
    name,
    audiences: ({ from, to, status }) => [paths.follow(to, from, status)],
    access: ({ from }) => ({ userIds: [from] }),
    realtime: form,
    webhooks: [{ name: webhook, ...form, reshape: flatten }, ...(notification ? [notification] : [])],
  })
}

// Webhooks carry the relation itself, not an envelope.
function flatten(data: Record<string, unknown>, subject: FollowSubject): Record<string, unknown> {
  const [follow] = data.follows as Record<string, unknown>[]
  return {
    from: follow?.from,
    to: follow?.to,
    status: subject.status,
    createdAt: follow?.createdAt,
    updatedAt: follow?.updatedAt,
  }
}

export const followCreated = followEvent(
  'follow.created',
  'follow.didCreate',
  notificationForm('follow.created', form),
)
export const followRequested = followEvent(
  'follow.requested',
  'follow.didRequest',
  notificationForm('follow.requested', form),
)
export const followAccepted = followEvent(
  'follow.accepted',
  'follow.didAcceptRequest',
  notificationForm('follow.accepted', form),
)
export const followEnded = followEvent('follow.unfollowed', 'follow.didUnfollow')
export const followRequestCanceled = followEvent('follow.requestCanceled', 'follow.didCancelRequest')
export const followRequestDeclined = followEvent('follow.requestDeclined', 'follow.didDeclineRequest')
export const followerDeleted = followEvent('follow.followerDeleted', 'follow.didDeleteFollower')

/** Nobody is told of a block; both stop hearing of what is on the other's page. */
export const userBlocked = defineEvent<Pair>({
  name: 'userBlock.created',
  audiences: () => [],
  access: ({ from, to }) => ({ userIds: [from, to] }),
  realtime: null,
})

export const followEvents = [
  followCreated,
  followRequested,
  followAccepted,
  followEnded,
  followRequestCanceled,
  followRequestDeclined,
  followerDeleted,
  userBlocked,
]
