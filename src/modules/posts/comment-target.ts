import type { Db, Tx } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import { byId } from '../../kernel/envelope/resource.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import type { CommentReference, CommentTarget } from '../comments/index.ts'
import { adjustFlaggedCommentsCount, findMembership, requireMember } from '../communities/index.ts'
import { findReadable, requireReadable } from './queries.ts'
import { addToPostCounts, findPostsById, lockPost, type PostRow } from './store.ts'

/** Comments on posts. Those of a deleted post have gone with it. */
export const postCommentTarget: CommentTarget = {
  type: 'post',
  async resolve(db, viewer, id) {
    const [post] = await findPostsById(db, [id])
    return referenceOf(db, viewer, await requireLiving(db, viewer, post))
  },
  async lock(tx, viewer, id, purpose) {
    const post = await requireLiving(tx, viewer, await lockPost(tx, id))
    if (purpose === 'takePart' && post.targetType === 'community') {
      await requireMember(tx, viewer, post.targetId)
    }
    return referenceOf(tx, viewer, post)
  },
  findReadable: async (db, viewer, ids) => {
    const posts = (await findPostsById(db, ids)).filter((post) => !post.isDeleted)
    return new Set(
      (
        await findReadable(
          db,
          viewer,
          byId(posts, ({ id }) => id),
        )
      ).keys(),
    )
  },
  adjustCommentsCount: (tx, id, delta) => addToPostCounts(tx, id, { commentsCount: delta }),
  async adjustFlaggedCommentsCount(tx, id, delta) {
    await addToPostCounts(tx, id, { flaggedCommentsCount: delta })
    const post = (await lockPost(tx, id)) ?? fail('notFound')
    if (post.targetType === 'community') await adjustFlaggedCommentsCount(tx, post.targetId, delta)
  },
}

async function requireLiving(db: Db | Tx, viewer: Viewer, post: PostRow | undefined): Promise<PostRow> {
  if (!post || post.isDeleted) return fail('notFound')
  await requireReadable(db, viewer, post)
  return post
}

async function referenceOf(db: Db, viewer: Viewer, post: PostRow): Promise<CommentReference> {
  return {
    id: post.id,
    targetType: post.targetType as CommentReference['targetType'],
    targetId: post.targetId,
    membership:
      post.targetType === 'community' ? await findMembership(db, post.targetId, viewer.id) : undefined,
  }
}
