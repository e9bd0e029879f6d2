import type { Slice } from '../../kernel/slice.ts'
import { requireReadableCommunity } from '../communities/index.ts'
import { postEvents } from './events.ts'
import { postSlots } from './resource.ts'
import { postRoutes } from './routes.ts'

export { requireReadablePost } from './queries.ts'
export { postShape } from './resource.ts'
export { findPostsById, lockPost, type PostRow } from './store.ts'

export const posts: Slice = {
  name: 'posts',
  slots: postSlots,
  events: postEvents,
  topics: [
    // What happens on a person's page is as public as the page.
    { pattern: 'social/user/:id', allow: (_db, _viewer, { id }) => id !== '+' },
    {
      pattern: 'social/community/:id',
      allow: async (db, viewer, { id = '' }) =>
        (await requireReadableCommunity(db, viewer, id)) !== undefined,
    },
  ],
  routes: postRoutes,
}
