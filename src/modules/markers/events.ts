import { paths } from '../../kernel/paths.ts'
import { shape } from '../../kernel/envelope/shape.ts'
import { defineEvent } from '../../kernel/outbox/event.ts'
import { feedRootsOf } from './roots.ts'

export interface MarkedMessageSubject {
  channelPublicId: string
  messageFeedId: string
  /** Internal ids of messages that somebody has now read or received; the feed's last message comes first. */
  messageIds: string[]
}

/**
 * To whoever follows how a feed is read. Clients take the first count for one that all messages they show have at
 * least: that holds for the last message only, so it leads.
 */
export const messageMarked = defineEvent<MarkedMessageSubject>({
  name: 'marker.marked-message',
  audiences: ({ channelPublicId, messageFeedId }) => [paths.messageMarker(channelPublicId, messageFeedId)],
  realtime: {
    shape: shape('contentMarkers', 'feedMarkers', 'userMarkers'),
    roots: ({ messageFeedId, messageIds }) => ({ contentMarkers: messageIds, feedMarkers: [messageFeedId] }),
  },
})

export interface UserMarkersSubject {
  /** Internal id. */
  userId: string
  /** The feeds in which their marks moved. */
  feeds: { id: string; channelId: string }[]
}

// Three events say one thing to the user's other devices, as each kind of client hears only some of them.
function event(name: string, ...kinds: string[]) {
  return defineEvent<UserMarkersSubject>({
    name,
    audiences: ({ userId }) => [paths.userMarker(userId)],
    realtime: {
      shape: shape(...kinds),
      roots: ({ userId, feeds }) =>
        Object.fromEntries(Object.entries(feedRootsOf(userId, feeds)).filter(([key]) => kinds.includes(key))),
    },
  })
}

export const feedMarkerUpdated = event('marker.feed-updated', 'feedMarkers', 'userMarkers')
export const userFeedMarkerUpdated = event('marker.userFeed-updated', 'feedMarkers', 'userFeedMarkers')
export const userMarkerSynced = {
  ...event('marker.user-sync', 'userMarkers', 'userEntityMarkers', 'userFeedMarkers'),
  alias: 'marker.marker.user-sync',
}

export const markerEvents = [messageMarked, feedMarkerUpdated, userFeedMarkerUpdated, userMarkerSynced]
