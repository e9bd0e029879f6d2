import type { Slice } from '../../kernel/slice.ts'
import { markerEvents } from './events.ts'
import { markRoutes } from './mark-routes.ts'
import { markerSlots } from './resource.ts'
import { markerRoutes } from './routes.ts'
import { markerTopics } from './topics.ts'

export { findUnreadCounts } from './queries.ts'

/** How far people have read, and what they have not. */
export const markers: Slice = {
  name: 'markers',
  slots: markerSlots,
  events: markerEvents,
  topics: markerTopics,
  routes(routes) {
    markerRoutes(routes)
    markRoutes(routes)
  },
}
