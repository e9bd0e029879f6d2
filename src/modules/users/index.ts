import type { Slice } from '../../kernel/slice.ts'
import { isAdmin } from '../../kernel/viewer.ts'
import { userCreated, userUpdated } from './events.ts'
import { userSlots } from './resource.ts'
import { userRoutes } from './routes.ts'

export { ensureUser, grantRole, viewerTopic } from './actions.ts'
export { resolveUserId, resolveUserIds } from './queries.ts'
export { findUserByPublicId, findUsersById, findUsersByPublicId, userRowTopic, type UserRow } from './store.ts'

export const users: Slice = {
  name: 'users',
  slots: userSlots,
  events: [userCreated, userUpdated],
  topics: [
    // What only its owner may hear.
    { pattern: 'smartfeed/:id', allow: (_db, viewer, { id }) => id === viewer.id },
    { pattern: 'marker/user/:id', allow: (_db, viewer, { id }) => id === viewer.id },
    { pattern: 'user/:id', allow: (_db, viewer, { id }) => id !== '+' || isAdmin(viewer) },
  ],
  routes: userRoutes,
}
