import { now } from '../../platform/clock.ts'
import type { Db, Tx } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import { emit } from '../../kernel/outbox/emit.ts'
import type { EventDefinition } from '../../kernel/outbox/event.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import { adjustFlaggedPostsCount } from '../communities/index.ts'
import {
  addFlag,
  clearFlags,
  findFlagged,
  removeFlag,
  type FlagBody,
  type FlagState,
} from '../flags/index.ts'
import { subjectOf } from './counting.ts'
import { postFlagged, postFlagsCleared, postUnflagged, type PostSubject } from './events.ts'
import { requireReadablePost } from './queries.ts'
import { lockLivingPost, type LockedPost } from './locking.ts'
import { canModeratePost } from './policy.ts'
import { addToPostCounts, updatePost } from './store.ts'

/** Flags a post, once for each viewer. Answers its id. */
export async function flagPost(tx: Tx, viewer: Viewer, id: string, why: FlagBody): Promise<string> {
  const locked = await lockLivingPost(tx, viewer, id)
  await apply(tx, viewer, locked, await addFlag(tx, viewer, 'post', id, why), [postFlagged])
  return id
}

/** Takes the viewer's flag back; without one nothing changes. Answers the post's id. */
export async function unflagPost(tx: Tx, viewer: Viewer, id: string): Promise<string> {
  const locked = await lockLivingPost(tx, viewer, id)
  await apply(tx, viewer, locked, await removeFlag(tx, viewer, 'post', id), [postUnflagged])
  return id
}

/** Takes everyone's flags back, for those who moderate where the post is. Answers its id. */
export async function clearPostFlags(tx: Tx, viewer: Viewer, id: string): Promise<string> {
  const locked = await lockLivingPost(tx, viewer, id)
  if (!canModeratePost(viewer, locked.post, locked.access)) fail('permissionDenied')
  // Clients listen for a flag taken back only; those who watch the moderation, for all of them.
  await apply(tx, viewer, locked, await clearFlags(tx, 'post', id), [postFlagsCleared, postUnflagged])
  return id
}

/** Whether the viewer flagged a post. */
export async function isFlaggedByMe(db: Db, viewer: Viewer, id: string): Promise<boolean> {
  const post = await requireReadablePost(db, viewer, id)
  return (await findFlagged(db, 'post', [post.id], viewer.id)).has(post.id)
}

async function apply(
  tx: Tx,
  viewer: Viewer,
  { post, parent }: LockedPost,
  { changed, flagCount, hashFlag }: FlagState,
  events: EventDefinition<PostSubject>[],
): Promise<void> {
  if (!changed) return
  await updatePost(tx, post.id, {
    flagCount,
    hashFlag: hashFlag && JSON.stringify(hashFlag),
    updatedAt: now(),
  })
  const delta = Number(flagCount > 0) - Number(post.flagCount > 0)
  if (delta !== 0) {
    if (parent) await addToPostCounts(tx, parent.id, { flaggedChildrenCount: delta })
    if (post.targetType === 'community') await adjustFlaggedPostsCount(tx, post.targetId, delta)
  }
  const subject = await subjectOf(tx, post, { flaggedUserId: viewer.userId })
  for (const event of events) await emit(tx, event, { actorId: viewer.id, subject })
}
