import type { Slice } from '../../kernel/slice.ts'
import { liveReactionsCreated } from './events.ts'
import { liveReactionRoutes } from './routes.ts'
import type { LiveReactionTarget } from './target.ts'

export { type LiveReactionTarget } from './target.ts'

/** Reactions that fly over what is live and are gone: told to those who watch, kept nowhere. */
export function liveReactionsSlice(targets: LiveReactionTarget[]): Slice {
  return {
    name: 'live-reactions',
    events: [liveReactionsCreated],
    routes: (routes) => liveReactionRoutes(routes, targets),
  }
}
