import type { Db } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import { arePagesPrivate } from '../places/index.ts'
import { findPostAccess, type PostAccess } from './access-store.ts'
import { canReadPost, canSeeInsights } from './policy.ts'
import { presentVersion } from './present.ts'
import type { PostVersion } from './schema.ts'
import { findPostsById, type PostRow } from './store.ts'
import { findVersions } from './version-store.ts'

/** A post and what the viewer is to it. */
export interface ReadablePost {
  post: PostRow
  access: PostAccess
}

/** A post the viewer may read; fails with `notFound` otherwise. Soft-deleted posts stay readable by their id. */
export async function requireReadablePost(db: Db, viewer: Viewer, id: string): Promise<PostRow> {
  const [post] = await findPostsById(db, [id])
  return (await requireReadable(db, viewer, post)).post
}

/** As `requireReadablePost`, for a post already in hand. */
export async function requireReadable(
  db: Db,
  viewer: Viewer,
  post: PostRow | undefined,
): Promise<ReadablePost> {
  if (!post) return fail('notFound')
  const access = (await findReadable(db, viewer, new Map([[post.id, post]]))).get(post.id)
  return access ? { post, access } : fail('notFound')
}

/** Of some posts those that the viewer may read, with what the viewer is to each. */
export async function findReadable(
  db: Db,
  viewer: Viewer,
  posts: Map<string, PostRow>,
): Promise<Map<string, PostAccess>> {
  const accesses = await findPostAccess(db, viewer.id, [...posts.keys()])
  const onPages = [...posts.values()].some((post) => post.targetType === 'user')
  const privacy = { arePagesPrivate: onPages && (await arePagesPrivate(db)) }
  const readable = new Map<string, PostAccess>()
  for (const [id, post] of posts) {
    const access = accesses.get(id)
    if (access && canReadPost(viewer, post, access, privacy)) readable.set(id, access)
  }
  return readable
}

/** The former versions of a post, newest first, for its author and those who moderate it. */
export async function listVersions(db: Db, viewer: Viewer, id: string): Promise<PostVersion[]> {
  const [found] = await findPostsById(db, [id])
  const { post, access } = await requireReadable(db, viewer, found)
  if (!canSeeInsights(viewer, post, access)) fail('permissionDenied')
  return (await findVersions(db, post.id)).map(presentVersion)
}
