import { channelMembers, paths } from '../../kernel/paths.ts'
import { defineEvent } from '../../kernel/outbox/event.ts'
import type { ChannelType } from '../channels/index.ts'
import { messageFeedShape } from './resource.ts'

export interface MessageFeedSubject {
  id: string
  channelId: string
  channelType: ChannelType
}

function event(name: string) {
  return defineEvent<MessageFeedSubject>({
    name,
    audiences: ({ id, channelId, channelType }) => {
      const topic = paths.messageFeed(channelId, id)
      return channelType === 'live' ? [topic] : [topic, channelMembers(channelId, 'messagefeeds')]
    },
    realtime: { shape: messageFeedShape, roots: ({ id }) => ({ messageFeeds: [id] }) },
  })
}

export const messageFeedCreated = event('message-feed.created')
export const messageFeedUpdated = event('message-feed.updated')
export const messageFeedDeleted = event('message-feed.deleted')
export const messageFeedEvents = [messageFeedCreated, messageFeedUpdated, messageFeedDeleted]
