import type { Slice } from '../../kernel/slice.ts'
import { createMessageRoutes } from './create-routes.ts'
import { messageEvents } from './events.ts'
import { messageSlots } from './resource.ts'
import { messageRoutes } from './routes.ts'
import { messageV3Routes } from './v3-routes.ts'

export { deleteMessagesOf } from './actions.ts'
export { messageDeparture } from './departure.ts'
export { findReadablePlaces, requireReadableMessage } from './queries.ts'
export { messageReactionTarget } from './reaction-target.ts'

/** Messages in the feeds of channels. */
export const messages: Slice = {
  name: 'messages',
  slots: messageSlots,
  events: messageEvents,
  routes(routes) {
    createMessageRoutes(routes)
    messageV3Routes(routes)
    messageRoutes(routes)
  },
}
