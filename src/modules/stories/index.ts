import type { Slice } from '../../kernel/slice.ts'
import { storyEvents } from './events.ts'
import { storySlots } from './resource.ts'
import { storyRoutes } from './routes.ts'

export { storyCommentTarget } from './comment-target.ts'
export { storyDeparture } from './departure.ts'
export { storyReactionTarget } from './reaction-target.ts'
export { storyViewTarget } from './view-target.ts'

/** Stories of communities and people, and how far each viewer has come. Their topics are guarded with those places. */
export const stories: Slice = {
  name: 'stories',
  slots: storySlots,
  events: storyEvents,
  routes: storyRoutes,
}
