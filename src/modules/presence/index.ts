import type { Slice } from '../../kernel/slice.ts'
import type { WatchedRooms } from './room.ts'
import { presenceRoutes, roomPresenceRoutes } from './routes.ts'

export { presenceDeparture } from './departure.ts'
export type { WatchedRooms } from './room.ts'

/** Who is there: in the network, in channels, and in the rooms that `rooms` finds. */
export function presenceSlice(rooms?: WatchedRooms): Slice {
  return {
    name: 'presence',
    routes(routes) {
      presenceRoutes(routes)
      roomPresenceRoutes(routes, rooms)
    },
  }
}
