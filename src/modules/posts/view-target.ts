import { fail } from '../../kernel/errors.ts'
import type { ViewTarget } from '../analytics/index.ts'
import { findLivingReadable, requireLivingPostById } from './interaction.ts'
import { canSeeInsights } from './policy.ts'
import { addToPostViews } from './store.ts'

/** Posts that are looked at. Who looked, its author and those who moderate it may know. */
export const postViewTarget: ViewTarget = {
  type: 'post',
  findReadable: findLivingReadable,
  async addViews(tx, _viewer, views) {
    const viewed = views.filter((one) => one.views > 0)
    await addToPostViews(
      tx,
      viewed.map(({ id, views: impression, isFirst }) => ({ id, impression, reach: Number(isFirst) })),
    )
  },
  async requireInsight(db, viewer, id) {
    const { post, access } = await requireLivingPostById(db, viewer, id)
    if (!canSeeInsights(viewer, post, access)) fail('forbidden')
    return post.id
  },
}
