import type { Slice } from '../../kernel/slice.ts'
import { eventEvents } from './events.ts'
import type { OpenLivestream } from './livestream.ts'
import { eventSlots } from './resource.ts'
import { eventRoutes } from './routes.ts'
import { startingEvents } from './starting.ts'

export { eventDeparture } from './departure.ts'

/** Events and who is going. Without `openLivestream` virtual events are held elsewhere. */
export function eventsSlice(openLivestream?: OpenLivestream): Slice {
  return {
    name: 'events',
    slots: eventSlots,
    events: eventEvents,
    jobs: [startingEvents],
    routes: (routes) => eventRoutes(routes, openLivestream),
  }
}
