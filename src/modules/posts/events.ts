import { defineEvent, type EventDefinition, type WebhookForm } from '../../kernel/outbox/event.ts'
import { paths } from '../../kernel/paths.ts'
import type { PostSubject } from './event-subject.ts'
import {
  postApprovedNotifications,
  postCreatedNotifications,
  postReactedNotifications,
} from './notification-forms.ts'
import { postShape } from './resource.ts'

export type { PostSubject } from './event-subject.ts'

const form = {
  shape: postShape,
  roots: ({ id }: PostSubject) => ({ posts: [id] }),
  extra: ({ extra }: PostSubject) => extra ?? {},
}

const topicOf = ({ targetType, targetId, id }: PostSubject) => paths.post(targetType, targetId, id)

/** Events of a post are heard on its own topic, which those of its target and of all its posts include. */
function postEvent(
  name: string,
  webhook?: string,
  notifications: WebhookForm<PostSubject>[] = [],
): EventDefinition<PostSubject> {
  return defineEvent<PostSubject>({
    name,
    // Clients look at what an event is called, not at the topic it came on: a personal one serves.
    audiences: (subject) =>
      subject.to?.map((userId) => paths.smartFeed(userId, 'messages')) ?? [topicOf(subject)],
    path: topicOf,
    realtime: form,
    webhooks: [...(webhook ? [{ name: webhook, ...form }] : []), ...notifications],
  })
}

export const postCreated = postEvent('post.created', 'v3.post.didCreate', postCreatedNotifications)
export const postUpdated = postEvent('post.updated', 'v3.post.didUpdate')
export const postDeleted = postEvent('post.deleted', 'v3.post.didDelete')
export const postApproved = postEvent('post.approved', 'v3.post.didApprove', postApprovedNotifications)
export const postDeclined = postEvent('post.declined', 'v3.post.didDecline')
export const postFlagged = postEvent('post.flagged', 'v3.post.didFlag')
export const postUnflagged = postEvent('post.unflagged', 'v3.post.didUnflag')
export const postFlagsCleared = postEvent('post.flagsCleared')
export const postReactionAdded = postEvent(
  'post.addReaction',
  'v3.post.didAddReaction',
  postReactedNotifications,
)
export const postReactionRemoved = postEvent('post.removeReaction', 'v3.post.didRemoveReaction')

export const postEvents = [
  postCreated,
  postUpdated,
  postDeleted,
  postApproved,
  postDeclined,
  postFlagged,
  postUnflagged,
  postFlagsCleared,
  postReactionAdded,
  postReactionRemoved,
]
