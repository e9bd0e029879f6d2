import { now } from '../../platform/clock.ts'
import type { Db } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import { cutPage, parsePage, type Page } from '../../kernel/paging.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import { arePagesPrivate } from '../places/index.ts'
import { findStoryAccess, type StoryAccess } from './access-store.ts'
import { findPlaces, requirePlace } from './places.ts'
import { canManageStories, canReadStory } from './policy.ts'
import type {
  AskedTarget,
  GlobalTargetsQuery,
  ListByTargetsQuery,
  ListStoriesQuery,
  StoryPageQuery,
} from './schema.ts'
import {
  countStoryRows,
  findStoriesById,
  queryStoryRows,
  type ListedStory,
  type StoryFilter,
  type StoryRow,
} from './store.ts'
import { queryTargetRows, type ListedTarget } from './target-store.ts'

/** A story and what the viewer is to it. */
export interface ReadableStory {
  story: StoryRow
  access: StoryAccess
}

/** Of some stories those that the viewer may see, with what the viewer is to each; deleted ones are not looked at. */
export async function findReadable(
  db: Db,
  viewer: Viewer,
  stories: Map<string, StoryRow>,
): Promise<Map<string, StoryAccess>> {
  const accesses = await findStoryAccess(db, viewer.id, [...stories.keys()])
  const onPages = [...stories.values()].some((story) => story.targetType === 'user')
  const circumstances = { arePagesPrivate: onPages && (await arePagesPrivate(db)), at: now() }
  const readable = new Map<string, StoryAccess>()
  for (const [id, story] of stories) {
    const access = accesses.get(id)
    if (access && canReadStory(viewer, story, access, circumstances)) readable.set(id, access)
  }
  return readable
}

/** A story the viewer may see, also a deleted one. Fails with `notFound`. */
export async function requireReadable(
  db: Db,
  viewer: Viewer,
  story: StoryRow | undefined,
): Promise<ReadableStory> {
  if (!story) return fail('notFound')
  const access = (await findReadable(db, viewer, new Map([[story.id, story]]))).get(story.id)
  return access ? { story, access } : fail('notFound')
}

/** A story the viewer may see that is not deleted; to who owns it also when it is expired. Fails with `notFound`. */
export async function requireLiving(
  db: Db,
  viewer: Viewer,
  story: StoryRow | undefined,
): Promise<ReadableStory> {
  return !story || story.isDeleted ? fail('notFound') : requireReadable(db, viewer, story)
}

/** As `requireLiving`, by its id. */
export async function requireLivingById(db: Db, viewer: Viewer, id: string): Promise<ReadableStory> {
  const [story] = await findStoriesById(db, [id])
  return requireLiving(db, viewer, story)
}

/** Those among some stories that are not deleted and that the viewer may see. */
export async function findLivingReadable(
  db: Db,
  viewer: Viewer,
  ids: string[],
): Promise<Map<string, StoryAccess>> {
  const living = (await findStoriesById(db, ids)).filter((story) => !story.isDeleted)
  return findReadable(db, viewer, new Map(living.map((story) => [story.id, story])))
}

/** The stories of one place; the expired ones, for who manages stories there. */
export async function listStories(
  db: Db,
  viewer: Viewer,
  query: ListStoriesQuery,
): Promise<Page<ListedStory>> {
  const { membership, ...place } = await requirePlace(db, viewer, query)
  const { isExpired = false, dataType } = query
  const isOwn = place.targetType === 'user' && place.targetId === viewer.id
  if (isExpired && !isOwn && !canManageStories(viewer, place, membership)) fail('permissionDenied')
  return page(db, { ...shownTo(viewer), places: [place], isExpired, dataType }, query)
}

/** The stories of some places, all mixed. Places the viewer may not see show none. */
export async function listStoriesByTargets(
  db: Db,
  viewer: Viewer,
  query: ListByTargetsQuery,
): Promise<Page<ListedStory>> {
  return page(db, { ...shownTo(viewer), places: await findPlaces(db, viewer, query.targets) }, query)
}

/** How many stories a place shows to the viewer. */
export async function countStories(db: Db, viewer: Viewer, asked: AskedTarget): Promise<number> {
  const { targetType, targetId } = await requirePlace(db, viewer, asked)
  return countStoryRows(db, { ...shownTo(viewer), places: [{ targetType, targetId }] })
}

/** The places the viewer follows that show a story, the one that lasts longest first. */
export async function listGlobalTargets(
  db: Db,
  viewer: Viewer,
  query: GlobalTargetsQuery,
): Promise<Page<ListedTarget>> {
  const cursor = parsePage(query)
  const { seenState = 'unseen' } = query
  const rows = await queryTargetRows(db, { viewerId: viewer.id, at: now(), seenState }, cursor)
  return cutPage(rows, cursor, (row) => [row.lastExpiresAt.getTime(), row.targetId])
}

function shownTo(viewer: Viewer): Omit<StoryFilter, 'places'> {
  return { viewerId: viewer.id, at: now(), isExpired: false }
}

// Clients ask once and never for a second page, so a first page holds all that one place may show.
const maxPage = 100

async function page(db: Db, filter: StoryFilter, query: StoryPageQuery): Promise<Page<ListedStory>> {
  const cursor = parsePage(query, maxPage)
  const { sortBy: column = 'createdAt', orderBy: order = 'desc' } = query.options ?? {}
  const rows = await queryStoryRows(db, filter, { column, order }, cursor)
  return cutPage(rows, cursor, (row) => [row[column].getTime(), row.id])
}
