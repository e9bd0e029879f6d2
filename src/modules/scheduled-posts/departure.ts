import type { UserDeparture } from '../users/index.ts'
import { deleteScheduledPostsOf } from './store.ts'

/** What somebody has scheduled goes with their posts; otherwise it fails when its time comes, and says why. */
export const scheduledPostDeparture: UserDeparture = {
  async deleted(tx, _viewer, userId, { deleteAll, hardDeletePost }) {
    if (deleteAll || hardDeletePost) await deleteScheduledPostsOf(tx, userId)
  },
}
