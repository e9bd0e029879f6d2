import type { Slice } from '../../kernel/slice.ts'
import { postEvents } from './events.ts'
import { feedRoutes } from './feeds/routes.ts'
import { pinSlots } from './pins/resource.ts'
import { pinRoutes } from './pins/routes.ts'
import { postSearchRoutes } from './search/routes.ts'
import type { PostReferences } from './references.ts'
import { postSlots } from './resource.ts'
import { postRoutes } from './routes.ts'
import { postTopics } from './topics.ts'

export { createPost } from './actions.ts'
export { CreatePostBody } from './bodies.ts'
export { deletePost } from './delete.ts'
export { postDeparture } from './departure.ts'
export { presentPost } from './present.ts'
export { Post, targetTypes } from './schema.ts'
export { postCommentTarget } from './comment-target.ts'
export { requireReadablePost } from './queries.ts'
export { postReactionTarget } from './reaction-target.ts'
export { type PostReference, type PostReferences } from './references.ts'
export { postShape } from './resource.ts'
export { findPostsById } from './store.ts'
export { postViewTarget } from './view-target.ts'

/** Posts, the feeds they are read in, and what is pinned. `references` know what else than files can be posted. */
export function postsSlice(references: PostReferences = []): Slice {
  return {
    name: 'posts',
    slots: { ...postSlots, ...pinSlots },
    events: postEvents,
    topics: postTopics,
    routes(routes) {
      postRoutes(routes, references)
      feedRoutes(routes)
      pinRoutes(routes)
      postSearchRoutes(routes)
    },
  }
}
