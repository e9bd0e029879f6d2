import type { Db } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import { findMembership, requireReadableCommunity } from '../communities/index.ts'
import { canSeeUnpublished } from './policy.ts'
import { findPostsById, type PostRow } from './store.ts'

/** A post the viewer may see; fails with `notFound` otherwise. Soft-deleted posts stay readable by their id. */
export async function requireReadablePost(db: Db, viewer: Viewer, id: string): Promise<PostRow> {
  const [post] = await findPostsById(db, [id])
  if (!post) return fail('notFound')
  await requireReadable(db, viewer, post)
  return post
}

export async function requireReadable(db: Db, viewer: Viewer, post: PostRow): Promise<void> {
  if (post.targetType === 'community') await requireReadableCommunity(db, viewer, post.targetId)
  if (post.feedType === 'published') return
  const membership =
    post.targetType === 'community' ? await findMembership(db, post.targetId, viewer.id) : undefined
  if (!canSeeUnpublished(viewer, post, membership)) fail('notFound')
}
