import { channelMembers, paths } from '../../kernel/paths.ts'
import { shape } from '../../kernel/envelope/shape.ts'
import { defineEvent, type WebhookForm } from '../../kernel/outbox/event.ts'
import { notificationForm } from '../../kernel/outbox/notification.ts'
import type { ChannelType } from '../channels/index.ts'
import type { Reactor } from '../reactions/index.ts'
import type { Static } from 'typebox'
import { messageCreatedShape, messageShape, messageV3Shape } from './resource.ts'

export interface MessageSubject {
  id: string
  channelId: string
  channelType: ChannelType
  messageFeedId: string
}

function audiences({ id, channelId, channelType, messageFeedId }: MessageSubject) {
  const topic = paths.message(channelId, messageFeedId, id)
  // Live channels are heard by those who subscribed to them, the others by all their members.
  return channelType === 'live' ? [topic] : [topic, channelMembers(channelId, 'messages')]
}

const roots = ({ id }: MessageSubject) => ({ messages: [id] })
const v3Webhook = shape({ messages: 'messagesV3', users: 'usersShort' })
const v5Webhook = shape('messages', { messageFeeds: 'messageFeedsOfMessages', users: 'usersShort' }, 'files')

/** The webhook of the older form, and where there is one that of the newer. */
function webhooks(name: string, newer?: string): WebhookForm<MessageSubject>[] {
  const v3: WebhookForm<MessageSubject> = { name, shape: v3Webhook, roots }
  if (newer === undefined) return [v3]
  return [v3, { name: newer, shape: v5Webhook, roots, extra: () => ({ reactions: [] }) }]
}

function event(name: string, hooks: WebhookForm<MessageSubject>[], realtimeShape = messageShape) {
  return defineEvent<MessageSubject>({
    name,
    audiences,
    realtime: { shape: realtimeShape, roots },
    webhooks: hooks,
  })
}

/** To all members of the channel. */
const messageNotification = notificationForm<MessageSubject>('message.created', {
  shape: shape({ messages: 'messagesV3' }, 'users', 'files'),
  roots,
})

export const messageCreated = event(
  'message.created',
  [...webhooks('message.didCreate', 'v5.message.didCreate'), messageNotification],
  messageCreatedShape,
)
export const messageUpdated = event('message.updated', webhooks('message.didUpdate', 'v5.message.didUpdate'))
export const messageDeleted = event('message.deleted', webhooks('message.didDelete', 'v5.message.didDelete'))
export const messageFlagged = event('message.flagged', webhooks('message.didFlag'))
export const messageUnflagged = event('message.unflagged', webhooks('message.didUnflag'))
export const messageFlagCleared = event('message.flagCleared', webhooks('message.didClearflag'))

export interface ReactionSubject extends MessageSubject {
  reactor: Static<typeof Reactor>
}

function reactionEvent(name: string, webhook: string) {
  return defineEvent<ReactionSubject>({
    name,
    audiences,
    realtime: { shape: messageShape, roots, extra: ({ reactor }) => ({ reactions: [reactor] }) },
    webhooks: [{ name: webhook, shape: messageV3Shape, roots, extra: ({ reactor }) => ({ reactor }) }],
  })
}

export const messageReactionAdded = {
  ...reactionEvent('message.reactionAdded', 'message.didAddReaction'),
  alias: 'message.addReaction',
}
export const messageReactionRemoved = reactionEvent('message.reactionRemoved', 'message.didRemoveReaction')

export const messageEvents = [
  messageCreated,
  messageUpdated,
  messageDeleted,
  messageFlagged,
  messageUnflagged,
  messageFlagCleared,
  messageReactionAdded,
  messageReactionRemoved,
]
