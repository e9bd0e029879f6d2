import { lockSegments } from './store.ts'
import type { CommentReference, CommentTarget } from './target.ts'

/**
 * Comments on what an app keeps itself and only names to this server: an article, a product. There is nothing to look
 * at, so everybody may comment, and nothing to count on.
 */
export const contentCommentTarget: CommentTarget = {
  type: 'content',
  resolve: async (_db, _viewer, id) => referenceOf(id),
  async lock(tx, _viewer, id) {
    await lockSegments(tx, 'content', id)
    return referenceOf(id)
  },
  findReadable: async (_db, _viewer, ids) => new Set(ids),
  adjustCommentsCount: async () => undefined,
  adjustFlaggedCommentsCount: async () => undefined,
}

function referenceOf(id: string): CommentReference {
  return { id, targetType: 'content', targetId: id, membership: undefined }
}
