import type { Slice } from '../../kernel/slice.ts'
import { commentEvents } from './events.ts'
import { createCommentSlots } from './resource.ts'
import { commentRoutes } from './routes.ts'
import type { CommentTarget } from './target.ts'

export { newestComments } from './preview-store.ts'
export { removeCommentsOn } from './actions.ts'
export { contentCommentTarget } from './content-target.ts'
export { createCommentDeparture } from './departure.ts'
export { createCommentReactionTarget } from './reaction-target.ts'
export type { CommentReference, CommentTarget, Purpose } from './target.ts'

/** Comments on whatever the targets stand for. */
export function commentsSlice(targets: CommentTarget[]): Slice {
  return {
    name: 'comments',
    slots: createCommentSlots(targets),
    events: commentEvents,
    // Below what an app names itself; what is below posts and stories is guarded with them.
    topics: [{ pattern: 'social/content/:id', allow: (_db, _viewer, { id }) => id !== '+' }],
    routes: (routes) => commentRoutes(routes, targets),
  }
}
