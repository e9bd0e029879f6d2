import type { Slice } from '../../kernel/slice.ts'
import { commentEvents } from './events.ts'
import { commentSlots } from './resource.ts'
import { commentRoutes } from './routes.ts'
import type { CommentTarget } from './target.ts'

export type { CommentReference, CommentTarget } from './target.ts'

/** Comments on whatever the targets stand for. */
export function commentsSlice(targets: CommentTarget[]): Slice {
  return {
    name: 'comments',
    slots: commentSlots,
    events: commentEvents,
    routes: (routes) => commentRoutes(routes, targets),
  }
}
