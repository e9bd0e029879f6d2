import { inTransaction } from '../../kernel/database.ts'
import { inBatches } from '../../kernel/in-batches.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import type { Db } from '../../kernel/database.ts'
import type { UserDeparture } from '../users/index.ts'
import { deleteLocked } from './delete.ts'
import { findPostIdsBy, lockPost } from './store.ts'

const batch = 100

/** The posts of a deleted user go where that is asked for: softly with everything of theirs, or for good. */
export const postDeparture: UserDeparture = {
  async clear({ db, signal }, viewer, userId, going) {
    if (going.kind !== 'deleted') return
    const { deleteAll, hardDeletePost } = going.options
    if (!deleteAll && !hardDeletePost) return
    await inBatches(
      signal,
      () => findPostIdsBy(db, userId, hardDeletePost ? 'notErased' : 'living', batch),
      (id) => deletePost(db, viewer, id, hardDeletePost),
    )
  },
}

async function deletePost(db: Db, viewer: Viewer, id: string, permanent: boolean): Promise<void> {
  await inTransaction(db, async (tx) => {
    const post = await lockPost(tx, id)
    if (post && !post.isErased) await deleteLocked(tx, viewer, { post, parent: null }, permanent)
  })
}
