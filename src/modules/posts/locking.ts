import type { Tx } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import { requireReadable, type ReadablePost } from './queries.ts'
import { findParentId, lockPost, type PostRow } from './store.ts'

/** A post with its parent, if it is attached to one: both locked, the parent first. */
export interface LockedPost extends ReadablePost {
  parent: PostRow | null
}

/** Locks a post the viewer may read, living or deleted. Fails with `notFound`. */
export async function lockReadablePost(tx: Tx, viewer: Viewer, id: string): Promise<LockedPost> {
  const parentId = await findParentId(tx, id)
  const parent = parentId === null ? null : ((await lockPost(tx, parentId)) ?? fail('unexpected'))
  return { ...(await requireReadable(tx, viewer, await lockPost(tx, id))), parent }
}

/** As `lockReadablePost`, for a post that is not deleted. */
export async function lockLivingPost(tx: Tx, viewer: Viewer, id: string): Promise<LockedPost> {
  const locked = await lockReadablePost(tx, viewer, id)
  return locked.post.isDeleted ? fail('notFound') : locked
}
