import type { Slice } from '../../kernel/slice.ts'
import { eventEvents } from './events.ts'
import type { EventOptions } from './livestream.ts'
import { eventSlots } from './resource.ts'
import { eventRoutes } from './routes.ts'
import { tellingOfEvent, tellingOfMissed } from './timely.ts'

export { eventDeparture } from './departure.ts'
export { findReadableEvents } from './queries.ts'

/** Events and who is going. */
export function eventsSlice(options: EventOptions): Slice {
  return {
    name: 'events',
    slots: eventSlots,
    events: eventEvents,
    jobs: [tellingOfEvent, tellingOfMissed],
    routes: (routes) => eventRoutes(routes, options),
  }
}
