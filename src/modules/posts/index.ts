import type { Slice } from '../../kernel/slice.ts'
import { postEvents } from './events.ts'
import { postSlots } from './resource.ts'
import { postRoutes } from './routes.ts'

export { requireReadablePost } from './queries.ts'
export { postCommentTarget } from './comment-target.ts'
export { postReactionTarget } from './reaction-target.ts'
export { postShape } from './resource.ts'
export { findPostsById, lockPost, type PostRow } from './store.ts'

export const posts: Slice = {
  name: 'posts',
  slots: postSlots,
  events: postEvents,
  // What happens on a person's page is as public as the page; a community's topics are guarded by its own slice.
  topics: [{ pattern: 'social/user/:id', allow: (_db, _viewer, { id }) => id !== '+' }],
  routes: postRoutes,
}
