import { now } from '../../platform/clock.ts'
import type { Tx } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import { emit } from '../../kernel/outbox/emit.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import { removeCommentsOn } from '../comments/index.ts'
import { adjustFlaggedCommentsCount, adjustFlaggedPostsCount } from '../communities/index.ts'
import { deleteFlagsOf } from '../flags/index.ts'
import { deleteReactionsOf } from '../reactions/index.ts'
import { structureTypeOf } from './attachments.ts'
import { countPost, subjectOf } from './counting.ts'
import { postDeleted } from './events.ts'
import { lockReadablePost, type LockedPost } from './locking.ts'
import { unpinPost } from './pins/actions.ts'
import { canDeletePost } from './policy.ts'
import type { PostReferences } from './references.ts'
import {
  addToPostCounts,
  erasePosts,
  findChildIds,
  findPostsById,
  markPostsDeleted,
  replaceHashtags,
  updatePost,
  type DeletedPost,
  type PostRow,
} from './store.ts'

/**
 * Deletes a post with all that is attached to it, or something attached from its post. Deleted posts stay readable by
 * their id; with `permanent` nothing that anybody wrote is left. Deleting twice changes nothing.
 */
export async function deletePost(
  tx: Tx,
  viewer: Viewer,
  id: string,
  { permanent = false, references = [] }: { permanent?: boolean; references?: PostReferences } = {},
): Promise<void> {
  const { post, parent, access } = await lockReadablePost(tx, viewer, id)
  if (!canDeletePost(viewer, post, access)) fail('permissionDenied')
  await deleteLocked(tx, viewer, { post, parent }, permanent)
  for (const { dataType, unposted } of references)
    if (post.dataType === dataType || post.attachedTypes.includes(dataType)) await unposted?.(tx, viewer, id)
}

/** Deletes a post that is locked, and asks nobody. */
export async function deleteLocked(
  tx: Tx,
  viewer: Viewer,
  { post, parent }: Pick<LockedPost, 'post' | 'parent'>,
  permanent: boolean,
): Promise<void> {
  const { id } = post
  const subject = await subjectOf(tx, post)
  if (parent) await removeFromParent(tx, parent, post)
  else await removeWhole(tx, post)
  if (permanent) await erase(tx, [id, ...(parent ? [] : await findChildIds(tx, id))])
  if (permanent || !post.isDeleted) await emit(tx, postDeleted, { actorId: viewer.id, subject })
}

async function removeWhole(tx: Tx, post: PostRow): Promise<void> {
  const deleted = await markPostsDeleted(tx, [post.id, ...post.children], now())
  if (!deleted.some(({ id }) => id === post.id)) return
  await uncountFlags(tx, post, deleted)
  await countPost(tx, post, -1)
  await replaceHashtags(tx, post, [])
  await unpinPost(tx, post.id)
}

async function removeFromParent(tx: Tx, parent: PostRow, child: PostRow): Promise<void> {
  if (child.isDeleted) return
  await removeChildren(tx, parent, [child])
  const children = parent.children.filter((id) => id !== child.id)
  const types = (await findPostsById(tx, children)).map((row) => row.dataType)
  await updatePost(tx, parent.id, {
    children,
    attachedTypes: [...new Set(types)],
    structureType: structureTypeOf(parent.dataType, types),
    updatedAt: now(),
  })
}

/** Deletes some of what is attached to a post. Both are locked; the parent's list of children is the caller's. */
export async function removeChildren(tx: Tx, parent: PostRow, children: PostRow[]): Promise<void> {
  if (children.length === 0) return
  const ids = children.map((child) => child.id)
  const deleted = await markPostsDeleted(tx, ids, now())
  const flagged = deleted.filter(({ flagCount }) => flagCount > 0).length
  await addToPostCounts(tx, parent.id, { flaggedChildrenCount: -flagged })
  await uncountFlags(tx, parent, deleted)
}

// What is deleted no longer counts as flagged in its community.
async function uncountFlags(
  tx: Tx,
  { targetType, targetId }: PostRow,
  deleted: DeletedPost[],
): Promise<void> {
  if (targetType !== 'community') return
  const flagged = deleted.filter(({ flagCount }) => flagCount > 0).length
  const comments = deleted.reduce((sum, post) => sum + post.flaggedCommentsCount, 0)
  if (flagged > 0) await adjustFlaggedPostsCount(tx, targetId, -flagged)
  if (comments > 0) await adjustFlaggedCommentsCount(tx, targetId, -comments)
}

async function erase(tx: Tx, ids: string[]): Promise<void> {
  await deleteReactionsOf(tx, 'post', ids)
  await deleteFlagsOf(tx, 'post', ids)
  await removeCommentsOn(tx, 'post', ids)
  await erasePosts(tx, ids, now())
}
