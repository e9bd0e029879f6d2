import type { Slice } from '../../kernel/slice.ts'
import { messageFeedEvents } from './events.ts'
import { messageFeedSlots } from './resource.ts'
import { messageFeedRoutes } from './routes.ts'

export { messageFeedRecounted } from './events.ts'
export { requireOpenFeed, requireReadableFeed } from './queries.ts'
export {
  advanceMessageFeeds,
  findFeedPlaces,
  findMessageFeedFacts,
  uncountMessages,
  type MessageFeedFacts,
  type MessageFeedRow,
} from './store.ts'

/** The feeds of messages inside channels; each channel has a default one under its own internal id. */
export const messageFeeds: Slice = {
  name: 'message-feeds',
  slots: messageFeedSlots,
  events: messageFeedEvents,
  routes: messageFeedRoutes,
}
