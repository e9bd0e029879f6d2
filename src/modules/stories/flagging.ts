import { now } from '../../platform/clock.ts'
import type { Tx } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import { emit } from '../../kernel/outbox/emit.ts'
import type { EventDefinition } from '../../kernel/outbox/event.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import { addFlag, clearFlags, removeFlag, type FlagBody, type FlagState } from '../flags/index.ts'
import { subjectOf } from './actions.ts'
import { storyFlagged, storyUnflagged, storyUpdated, type StorySubject } from './events.ts'
import { canManageStories } from './policy.ts'
import { requireLiving, type ReadableStory } from './queries.ts'
import { lockStory, updateStory } from './store.ts'

/** Flags a story, once for each viewer. Nobody flags their own. */
export async function flagStory(tx: Tx, viewer: Viewer, id: string, why: FlagBody): Promise<void> {
  const found = await lockLiving(tx, viewer, id)
  if (found.story.creatorId === viewer.id) fail('forbidden', 'your own story')
  await apply(tx, viewer, found, await addFlag(tx, viewer, 'story', id, why), storyFlagged)
}

/** Takes the viewer's flag back; without one nothing changes. */
export async function unflagStory(tx: Tx, viewer: Viewer, id: string): Promise<void> {
  const found = await lockLiving(tx, viewer, id)
  await apply(tx, viewer, found, await removeFlag(tx, viewer, 'story', id), storyUnflagged)
}

/** Takes everyone's flags back, for those who manage stories there; creators do not judge reports about themselves. */
export async function clearStoryFlags(tx: Tx, viewer: Viewer, id: string): Promise<void> {
  const found = await lockLiving(tx, viewer, id)
  if (!canManageStories(viewer, found.story, found.access)) fail('permissionDenied')
  await apply(tx, viewer, found, await clearFlags(tx, 'story', id), storyUnflagged)
}

async function lockLiving(tx: Tx, viewer: Viewer, id: string): Promise<ReadableStory> {
  return requireLiving(tx, viewer, await lockStory(tx, id))
}

async function apply(
  tx: Tx,
  viewer: Viewer,
  { story }: ReadableStory,
  { changed, flagCount, hashFlag }: FlagState,
  event: EventDefinition<StorySubject>,
): Promise<void> {
  if (!changed) return
  await updateStory(tx, story.id, {
    flagCount,
    hashFlag: hashFlag && JSON.stringify(hashFlag),
    updatedAt: now(),
  })
  const happening = { actorId: viewer.id, subject: subjectOf(story) }
  await emit(tx, event, happening)
  await emit(tx, storyUpdated, happening)
}
