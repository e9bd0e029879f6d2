import { now } from '../../platform/clock.ts'
import { newId } from '../../platform/ids.ts'
import type { Tx } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import { emit } from '../../kernel/outbox/emit.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import { removeCommentsOn } from '../comments/index.ts'
import {
  adjustFlaggedCommentsCount,
  isMember,
  requireReadableCommunity,
  touchMembership,
} from '../communities/index.ts'
import { deleteFlagsOf } from '../flags/index.ts'
import { requireAllowedText } from '../moderation/index.ts'
import { readSettings } from '../network-settings/index.ts'
import { arePagesPrivate, canReadPlace } from '../places/index.ts'
import { deleteReactionsOf } from '../reactions/index.ts'
import { findStoryAccess } from './access-store.ts'
import { readContent, wordsOf } from './content.ts'
import { storyCreated, storyDeleted, type StorySubject } from './events.ts'
import type { Place } from './place.ts'
import { canManageStories, canOwnStory } from './policy.ts'
import { requireReadable } from './queries.ts'
import type { CreateStoryBody } from './schema.ts'
import {
  eraseStory,
  findStoryByReference,
  insertStory,
  lockStory,
  updateStory,
  type StoryRow,
} from './store.ts'
import { countLiving, lockTarget } from './target-store.ts'

/** How many stories one place shows at a time. */
const maxLiving = 100

/**
 * Makes a story in a community or on the viewer's own page. Sent again under the same `referenceId` it stays one.
 * Answers its id.
 */
export async function createStory(tx: Tx, viewer: Viewer, body: CreateStoryBody): Promise<string> {
  const content = await readContent(tx, body)
  await requireAllowedText(tx, viewer, wordsOf(content))
  const { story: settings } = await readSettings(tx, 'social')
  const place = await requireCreation(tx, viewer, body, settings.allowAllUserToCreateStory)
  const at = now()
  const expiresAt = new Date(at.getTime() + settings.expiryTimeMinutes * 60_000)
  await lockTarget(tx, place, expiresAt)
  const made = await findStoryByReference(tx, viewer.id, body.referenceId)
  if (made) return made.isDeleted ? fail('duplicate', 'referenceId') : made.id
  if ((await countLiving(tx, place, at)) >= maxLiving) fail('conflict', `${maxLiving} stories are shown here`)
  const id = newId()
  await insertStory(tx, {
    ...place,
    id,
    creatorId: viewer.id,
    referenceId: body.referenceId,
    dataType: body.dataType,
    data: JSON.stringify(content.data),
    items: JSON.stringify(content.items),
    metadata: JSON.stringify(content.metadata),
    expiresAt,
    createdAt: at,
    updatedAt: at,
  })
  if (place.targetType === 'community') await touchMembership(tx, place.targetId, viewer.id)
  const subject = { id, ...place, referenceId: body.referenceId }
  await emit(tx, storyCreated, { actorId: viewer.id, subject })
  return id
}

async function requireCreation(
  tx: Tx,
  viewer: Viewer,
  { targetType, targetId }: CreateStoryBody,
  isForAll: boolean,
): Promise<Place> {
  if (targetType === 'user') {
    if (targetId !== viewer.userId && targetId !== viewer.id) fail('permissionDenied', "another's page")
    return { targetType, targetId: viewer.id }
  }
  const { community, membership } = await requireReadableCommunity(tx, viewer, targetId)
  if (membership?.membership === 'banned') fail('banned')
  if (!canManageStories(viewer, { targetType }, membership)) {
    if (!isForAll) fail('permissionDenied', 'MANAGE_COMMUNITY_STORY')
    if (!isMember(membership)) fail('notAMember')
  }
  return { targetType, targetId: community.id }
}

/**
 * Deletes a story: its creator, or who manages stories there. It is gone for everyone at once; with `permanent`
 * nothing that anybody wrote is left. Deleting twice changes nothing.
 */
export async function deleteStory(
  tx: Tx,
  viewer: Viewer,
  id: string,
  { permanent = false }: { permanent?: boolean | undefined },
): Promise<void> {
  await removeStory(tx, viewer, await lockDeletable(tx, viewer, id), permanent)
}

/** Deletes a locked story, whoever may; see `deleteStory`. */
export async function removeStory(
  tx: Tx,
  viewer: Viewer,
  story: StoryRow,
  permanent: boolean,
): Promise<void> {
  if (permanent ? story.isErased : story.isDeleted) return
  const { id } = story
  const at = now()
  if (!story.isDeleted) {
    await updateStory(tx, id, { isDeleted: true, deletedAt: at, updatedAt: at })
    // What was flagged below it no longer counts in its community.
    if (story.targetType === 'community' && story.flaggedCommentsCount > 0)
      await adjustFlaggedCommentsCount(tx, story.targetId, -story.flaggedCommentsCount)
  }
  if (permanent) {
    await deleteReactionsOf(tx, 'story', [id])
    await deleteFlagsOf(tx, 'story', [id])
    await removeCommentsOn(tx, 'story', [id])
    await eraseStory(tx, id, at)
  }
  await emit(tx, storyDeleted, { actorId: viewer.id, subject: subjectOf(story) })
}

async function lockDeletable(tx: Tx, viewer: Viewer, id: string): Promise<StoryRow> {
  const story = await lockStory(tx, id)
  const access = story && (await findStoryAccess(tx, viewer.id, [id])).get(id)
  if (!story || !access || story.isErased) return fail('notFound')
  const isOwn = canOwnStory(viewer, story, access)
  if (!isOwn) {
    if (story.isDeleted) fail('notFound')
    await requireReadable(tx, viewer, story)
    fail('forbidden')
  }
  const privacy = { arePagesPrivate: story.targetType === 'user' && (await arePagesPrivate(tx)) }
  return canReadPlace(viewer, story, access, privacy) ? story : fail('notFound')
}

export function subjectOf({ id, targetType, targetId, referenceId }: StoryRow): StorySubject {
  return { id, targetType, targetId, referenceId }
}
