import type { Db } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import { now } from '../../platform/clock.ts'
import { requireMember } from '../communities/index.ts'
import { readSettings } from '../network-settings/index.ts'
import { requireLiving, type ReadableStory } from './queries.ts'
import type { StoryRow } from './store.ts'

/**
 * A story that is shown now, to which the viewer may answer by a reaction or a comment: in a community one must be a
 * member, unless the network lets everyone.
 */
export async function requireInteraction(
  db: Db,
  viewer: Viewer,
  found: StoryRow | undefined,
): Promise<ReadableStory> {
  const { story, access } = await requireLiving(db, viewer, found)
  if (story.expiresAt <= now()) fail('notFound', 'the story has expired')
  if (story.targetType === 'community' && access.membership !== 'member') {
    const { disallowNonMemberInteractInCommunity } = await readSettings(db, 'social')
    if (access.membership === 'banned' || disallowNonMemberInteractInCommunity) {
      await requireMember(db, viewer, story.targetId)
    }
  }
  return { story, access }
}
