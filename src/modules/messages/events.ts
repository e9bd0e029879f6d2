import { channelMembers, paths } from '../../kernel/paths.ts'
import { shape } from '../../kernel/envelope/shape.ts'
import { defineEvent, type EventForm, type WebhookForm } from '../../kernel/outbox/event.ts'
import type { ChannelType } from '../channels/index.ts'
import { messageCreatedShape } from './resource.ts'

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

/** The webhooks of the older form and, where there is one, of the newer. */
function webhooks(...names: string[]): WebhookForm<MessageSubject>[] {
  const v3: EventForm<MessageSubject>['shape'] = shape({ messages: 'messagesV3', users: 'usersShort' })
  const v5 = shape('messages', { messageFeeds: 'messageFeedsOfMessages', users: 'usersShort' }, 'files')
  return names.map((name) =>
    name.startsWith('v5.')
      ? { name, shape: v5, roots, extra: () => ({ reactions: [] }) }
      : { name, shape: v3, roots },
  )
}

export const messageCreated = defineEvent<MessageSubject>({
  name: 'message.created',
  audiences,
  realtime: { shape: messageCreatedShape, roots },
  webhooks: webhooks('message.didCreate', 'v5.message.didCreate'),
})

export const messageEvents = [messageCreated]
