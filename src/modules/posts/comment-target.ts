import type { Db } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import type { CommentReference, CommentTarget, Purpose } from '../comments/index.ts'
import { adjustFlaggedCommentsCount, findMembership, requireMember } from '../communities/index.ts'
import { findReadable, requireReadable } from './queries.ts'
import { addToPostCounts, findPostsById, lockPost, type PostRow } from './store.ts'

/** Comments on posts. Those of a deleted post have gone with it. */
export const postCommentTarget: CommentTarget = {
  type: 'post',
  async resolve(db, viewer, id, purpose) {
    const [post] = await findPostsById(db, [id])
    return open(db, viewer, post, purpose)
  },
  lock: async (tx, viewer, id, purpose) => open(tx, viewer, await lockPost(tx, id), purpose),
  findReadable: async (db, viewer, ids) => {
    const posts = (await findPostsById(db, ids)).filter((post) => !post.isDeleted)
    return findReadable(db, viewer, new Map(posts.map((post) => [post.id, post])))
  },
  adjustCommentsCount: (tx, id, delta) => addToPostCounts(tx, id, { commentsCount: delta }),
  async adjustFlaggedCommentsCount(tx, id, delta) {
    await addToPostCounts(tx, id, { flaggedCommentsCount: delta })
    const post = (await lockPost(tx, id)) ?? fail('notFound')
    if (post.targetType === 'community') await adjustFlaggedCommentsCount(tx, post.targetId, delta)
  },
}

// Reading is enough to look; to take part in a community one must be a member.
async function open(
  db: Db,
  viewer: Viewer,
  post: PostRow | undefined,
  purpose: Purpose,
): Promise<CommentReference> {
  if (!post || post.isDeleted) return fail('notFound')
  await requireReadable(db, viewer, post)
  const { id, targetId } = post
  const targetType = post.targetType as CommentReference['targetType']
  if (targetType !== 'community') return { id, targetType, targetId, membership: undefined }
  const membership =
    purpose === 'takePart'
      ? (await requireMember(db, viewer, targetId)).membership
      : await findMembership(db, targetId, viewer.id)
  return { id, targetType, targetId, membership }
}
