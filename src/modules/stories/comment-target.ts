import type { Db } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import type { CommentReference, CommentTarget, Purpose } from '../comments/index.ts'
import { adjustFlaggedCommentsCount } from '../communities/index.ts'
import { requireInteraction } from './interaction.ts'
import { findLivingReadable, requireLiving } from './queries.ts'
import { addToStoryCounts, findStoriesById, lockStory, type StoryRow } from './store.ts'

/** Comments on stories: in a community only while it lets people comment there. */
export const storyCommentTarget: CommentTarget = {
  type: 'story',
  async resolve(db, viewer, id, purpose) {
    const [story] = await findStoriesById(db, [id])
    return open(db, viewer, story, purpose)
  },
  lock: async (tx, viewer, id, purpose) => open(tx, viewer, await lockStory(tx, id), purpose),
  findReadable: findLivingReadable,
  adjustCommentsCount: (tx, id, delta) => addToStoryCounts(tx, id, { comments: delta }),
  async adjustFlaggedCommentsCount(tx, id, delta) {
    const story = (await lockStory(tx, id)) ?? fail('notFound')
    await addToStoryCounts(tx, id, { flaggedComments: delta })
    if (story.targetType === 'community') await adjustFlaggedCommentsCount(tx, story.targetId, delta)
  },
}

async function open(
  db: Db,
  viewer: Viewer,
  found: StoryRow | undefined,
  purpose: Purpose,
): Promise<CommentReference> {
  const require = purpose === 'takePart' ? requireInteraction : requireLiving
  const { story, access } = await require(db, viewer, found)
  if (purpose === 'takePart' && access.allowCommentInStory === false) fail('forbidden', 'comments are off')
  return {
    id: story.id,
    targetType: story.targetType as CommentReference['targetType'],
    targetId: story.targetId,
    membership: access,
  }
}
