import { inTransaction } from '../../kernel/database.ts'
import type { UserDeparture } from '../users/index.ts'
import { removeStory } from './actions.ts'
import { findStoryIdsBy, lockStory } from './store.ts'

const batch = 100

/** The stories of a deleted user go with their posts: softly with everything of theirs, or for good. */
export const storyDeparture: UserDeparture = {
  async clear({ db, signal }, viewer, userId, going) {
    if (going.kind !== 'deleted') return
    const { deleteAll, hardDeletePost } = going.options
    if (!deleteAll && !hardDeletePost) return
    while (!signal.aborted) {
      const ids = await findStoryIdsBy(db, userId, hardDeletePost ? 'notErased' : 'living', batch)
      if (ids.length === 0) return
      for (const id of ids) {
        if (signal.aborted) return
        await inTransaction(db, async (tx) => {
          const story = await lockStory(tx, id)
          if (story) await removeStory(tx, viewer, story, hardDeletePost)
        })
      }
    }
  },
}
