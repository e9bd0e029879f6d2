import { fail } from '../../kernel/errors.ts'
import type { ViewTarget } from '../analytics/index.ts'
import { canOwnStory } from './policy.ts'
import { findLivingReadable, requireLivingById } from './queries.ts'
import { addToStoryViews } from './store.ts'
import { markSeen } from './target-store.ts'

/** Stories that are looked at, and with them how far a viewer has come. Who looked, its owners may know. */
export const storyViewTarget: ViewTarget = {
  type: 'story',
  findReadable: async (db, viewer, ids) => new Set((await findLivingReadable(db, viewer, ids)).keys()),
  async addViews(tx, viewer, views) {
    const viewed = views.filter((one) => one.views > 0)
    await addToStoryViews(
      tx,
      viewed.map(({ id, views: impression, isFirst }) => ({ id, impression, reach: Number(isFirst) })),
    )
    await markSeen(
      tx,
      viewer.id,
      viewed.map(({ id }) => id),
    )
  },
  async requireInsight(db, viewer, id) {
    const { story, access } = await requireLivingById(db, viewer, id)
    if (!canOwnStory(viewer, story, access)) fail('forbidden')
    return story.id
  },
}
