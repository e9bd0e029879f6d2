import type { Slice } from '../../kernel/slice.ts'
import { closingPolls } from './closing.ts'
import { pollEvents } from './events.ts'
import type { RequireReadablePost } from './post.ts'
import { pollSlots } from './resource.ts'
import { pollRoutes } from './routes.ts'

export { requireOwnPoll } from './actions.ts'

/** Polls, as readable as the posts that show them. */
export function pollsSlice(requireReadablePost: RequireReadablePost): Slice {
  return {
    name: 'polls',
    slots: pollSlots,
    events: pollEvents,
    jobs: [closingPolls],
    routes: (routes) => pollRoutes(routes, requireReadablePost),
  }
}
