import type { Db } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import { readSettings } from '../network-settings/index.ts'
import { findPostAccess, type PostAccess } from './access-store.ts'
import { canReadPost } from './policy.ts'
import { findPostsById, type PostRow } from './store.ts'

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

/** Whether people's pages are for their followers only, by the network's setting. */
export async function arePagesPrivate(db: Db): Promise<boolean> {
  return (await readSettings(db, 'social')).userPrivacySetting === 'private'
}
