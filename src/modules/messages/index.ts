import type { Slice } from '../../kernel/slice.ts'
import { messageEvents } from './events.ts'
import { messageSlots } from './resource.ts'
import { messageRoutes } from './routes.ts'

/** Messages in the feeds of channels. */
export const messages: Slice = {
  name: 'messages',
  slots: messageSlots,
  events: messageEvents,
  routes: messageRoutes,
}
