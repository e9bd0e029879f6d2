import type { Slice } from '../../kernel/slice.ts'
import type { Scheduling } from './actions.ts'
import { createPublishing, forgettingEnded } from './publish.ts'
import { scheduledPostSlots } from './resource.ts'
import { scheduledPostRoutes } from './routes.ts'

export { scheduledPostDeparture } from './departure.ts'

/** Posts that are to appear later. */
export function scheduledPostsSlice(scheduling: Scheduling): Slice {
  const publishing = createPublishing(scheduling)
  return {
    name: 'scheduled-posts',
    slots: scheduledPostSlots,
    jobs: [publishing, forgettingEnded],
    routes: (routes) => scheduledPostRoutes(routes, { ...scheduling, publishing }),
  }
}
