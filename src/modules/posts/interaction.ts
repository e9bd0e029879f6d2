import type { Db, Tx } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import { requireMember } from '../communities/index.ts'
import { readSettings } from '../network-settings/index.ts'
import { findReadable, requireReadable, type ReadablePost } from './queries.ts'
import { findPostsById, lockPost, type PostRow } from './store.ts'

/** A living post the viewer may read. Fails with `notFound`. */
export async function requireLivingPost(
  db: Db,
  viewer: Viewer,
  post: PostRow | undefined,
): Promise<ReadablePost> {
  return !post || post.isDeleted ? fail('notFound') : requireReadable(db, viewer, post)
}

/** As `requireLivingPost`, by its id. */
export async function requireLivingPostById(db: Db, viewer: Viewer, id: string): Promise<ReadablePost> {
  const [post] = await findPostsById(db, [id])
  return requireLivingPost(db, viewer, post)
}

/** Those among some posts that are living and that the viewer may read. */
export async function findLivingReadable(db: Db, viewer: Viewer, ids: string[]): Promise<Set<string>> {
  const posts = (await findPostsById(db, ids)).filter((post) => !post.isDeleted)
  return new Set((await findReadable(db, viewer, new Map(posts.map((post) => [post.id, post])))).keys())
}

/**
 * A living post, locked, to which the viewer may answer: by a reaction, a comment. Reading is enough to look; to take
 * part, a post must be published, and in a community one must be a member, unless the network lets everyone.
 */
export async function lockForInteraction(tx: Tx, viewer: Viewer, id: string): Promise<ReadablePost> {
  return requireInteraction(tx, viewer, await lockPost(tx, id))
}

/** As `lockForInteraction`, for a post in hand. */
export async function requireInteraction(
  db: Db,
  viewer: Viewer,
  post: PostRow | undefined,
): Promise<ReadablePost> {
  const found = await requireLivingPost(db, viewer, post)
  if (found.post.feedType !== 'published') fail('conflict', 'the post is not published')
  if (found.post.targetType === 'community') await requirePart(db, viewer, found)
  return found
}

async function requirePart(db: Db, viewer: Viewer, { post, access }: ReadablePost): Promise<void> {
  if (access.membership === 'member') return
  const { disallowNonMemberInteractInCommunity } = await readSettings(db, 'social')
  if (access.membership === 'banned' || disallowNonMemberInteractInCommunity) {
    await requireMember(db, viewer, post.targetId)
  }
}
