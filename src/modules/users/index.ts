import type { Slice } from '../../kernel/slice.ts'
import { isAdmin } from '../../kernel/viewer.ts'
import { createClearer } from './clearing.ts'
import type { UserDeparture } from './departure.ts'
import { createGuestPurge } from './guests.ts'
import { userEvents } from './events.ts'
import { moderationRoutes } from './moderation-routes.ts'
import { userSlots } from './resource.ts'
import { userRoutes } from './routes.ts'

export { ensureUser, grantRole } from './actions.ts'
export type { UserDeparture } from './departure.ts'
export { resolveUserId, resolveUserIds } from './queries.ts'
export { viewerOf } from './viewer.ts'
export { findUserByPublicId, findUsersById, findUsersByPublicId, type UserRow } from './store.ts'

/** People. `departures` are what other slices do when one is banned or deleted. */
export function usersSlice(departures: UserDeparture[]): Slice {
  const clearer = createClearer(departures)
  return {
    name: 'users',
    jobs: [clearer.job, createGuestPurge(departures)],
    slots: userSlots,
    events: userEvents,
    topics: [
      // What only its owner may hear.
      { pattern: 'smartfeed/:id', allow: (_db, viewer, { id }) => id === viewer.id },
      { pattern: 'marker/user/:id', allow: (_db, viewer, { id }) => id === viewer.id },
      { pattern: 'user/:id', allow: (_db, viewer, { id }) => id !== '+' || isAdmin(viewer) },
    ],
    routes(routes) {
      userRoutes(routes)
      moderationRoutes(routes, clearer)
    },
  }
}
