import { channelMembers, paths } from '../../kernel/paths.ts'
import { shape } from '../../kernel/envelope/shape.ts'
import { defineEvent } from '../../kernel/outbox/event.ts'
import type { ChannelType } from '../channels/index.ts'
import { messageFeedShape } from './resource.ts'

export interface MessageFeedSubject {
  id: string
  channelId: string
  channelType: ChannelType
}

function audiences({ id, channelId, channelType }: MessageFeedSubject) {
  const topic = paths.messageFeed(channelId, id)
  return channelType === 'live' ? [topic] : [topic, channelMembers(channelId, 'messagefeeds')]
}

function event(name: string) {
  return defineEvent<MessageFeedSubject>({
    name,
    audiences,
    realtime: { shape: messageFeedShape, roots: ({ id }) => ({ messageFeeds: [id] }) },
  })
}

export const messageFeedCreated = event('message-feed.created')
export const messageFeedUpdated = event('message-feed.updated')
export const messageFeedDeleted = event('message-feed.deleted')

/** Messages were deleted, so that members have less before them than they thought: they look again. */
export const messageFeedRecounted = defineEvent<MessageFeedSubject>({
  name: 'message-feed.recounted',
  audiences,
  realtime: {
    name: 'marker.feed-updated',
    shape: shape('feedMarkers', 'userMarkers'),
    roots: ({ id }) => ({ feedMarkers: [id] }),
  },
})

export const messageFeedEvents = [
  messageFeedCreated,
  messageFeedUpdated,
  messageFeedDeleted,
  messageFeedRecounted,
]
