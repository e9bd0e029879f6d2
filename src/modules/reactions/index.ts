import type { Slice } from '../../kernel/slice.ts'
import { reactionRoutes } from './routes.ts'
import type { ReactionTarget } from './target.ts'

export { Reactor } from './schema.ts'
export { deleteReactionsOf, findReactionNames } from './store.ts'
export { countReaction, type ReactionTarget } from './target.ts'

/** Reactions to whatever the targets stand for. */
export function reactionsSlice(targets: ReactionTarget[]): Slice {
  return { name: 'reactions', routes: (routes) => reactionRoutes(routes, targets) }
}
