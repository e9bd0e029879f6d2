import type { Slice } from '../../kernel/slice.ts'
import { followEvents } from './events.ts'
import { followSlots } from './resource.ts'
import { followRoutes } from './routes.ts'

export { isBlockBetween } from './block-store.ts'
export { isFollowing } from './queries.ts'
export { blockedIds, findBlockedAmong, isBlockedEitherWay } from './store.ts'

/** Who follows whom, and who blocked whom. */
export const follows: Slice = {
  name: 'follows',
  slots: followSlots,
  events: followEvents,
  topics: [
    {
      // Both people of a relation hear of it, whoever the other is.
      pattern: 'membership/:to/:from',
      allow: (_db, viewer, { to, from }) => to === viewer.id || from === viewer.id,
    },
  ],
  routes: followRoutes,
}
