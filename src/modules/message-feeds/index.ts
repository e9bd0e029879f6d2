import type { Slice } from '../../kernel/slice.ts'
import { messageFeedSlots } from './resource.ts'
import { messageFeedRoutes } from './routes.ts'

export { adjustChildCount, advanceMessageFeeds, findFeedPlaces, findMessageFeedsById, type MessageFeedRow } from './store.ts'

/** The feeds of messages inside channels; each channel has a default one under its own internal id. */
export const messageFeeds: Slice = {
  name: 'message-feeds',
  slots: messageFeedSlots,
  routes: messageFeedRoutes,
}
