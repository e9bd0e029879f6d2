import type { Slice } from '../../kernel/slice.ts'
import { messageTyping } from './events.ts'
import { typingRoutes } from './routes.ts'

/** The signal that somebody types: our addition to the interface. */
export const typing: Slice = { name: 'typing', events: [messageTyping], routes: typingRoutes }
