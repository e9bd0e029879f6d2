import { inTransaction } from '../../kernel/database.ts'
import { inBatches } from '../../kernel/in-batches.ts'
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
    await inBatches(
      signal,
      () => findStoryIdsBy(db, userId, hardDeletePost ? 'notErased' : 'living', batch),
      (id) =>
        inTransaction(db, async (tx) => {
          const story = await lockStory(tx, id)
          if (story) await removeStory(tx, viewer, story, hardDeletePost)
        }),
    )
  },
}
