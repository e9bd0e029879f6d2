import type { Db } from '../../../kernel/database.ts'
import { fail } from '../../../kernel/errors.ts'
import { cutPage, parsePage, type Page } from '../../../kernel/paging.ts'
import { can } from '../../../kernel/permissions.ts'
import type { Viewer } from '../../../kernel/viewer.ts'
import { findFeeds } from '../../feeds/index.ts'
import { readSettings } from '../../network-settings/index.ts'
import { hashtagKey } from '../content.ts'
import { canModeratePost, canReviewPosts } from '../policy.ts'
import { arePagesPrivate } from '../../places/index.ts'
import { lanesFor, type Lane } from './lanes.ts'
import { requireReadablePlace, type Place } from './places.ts'
import type { FeedQuery, GlobalFeedQuery, PostsQuery, SearchPostsQuery, UserFeedQuery } from './schema.ts'
import type { FeedScan, PostFilter } from './lane-store.ts'
import { countDeletedPosts, findFeedLines, type FeedLine } from './store.ts'

type PageAsked = Parameters<typeof parsePage>[0]
const newestFirst = { by: 'created', order: 'desc' } as const

/** Posts of the viewer's own page, of those they follow, of their communities, as far as the network's settings go. */
export async function queryGlobalFeed(
  db: Db,
  viewer: Viewer,
  query: GlobalFeedQuery,
): Promise<Page<FeedLine>> {
  const { dataTypes, resolveParent = false } = query
  const types = {
    dataTypes,
    matchingOnlyParentPost: resolveParent || !dataTypes,
    includeMixedStructure: true,
  }
  const { sources, everyone } = await globalSources(db, viewer, query.showOnlyMyFeed)
  const lanes = lanesFor('page', types)
  if (everyone) lanes.push(...lanesFor('everywhere', types).map((lane) => ({ ...lane, targetType: 'user' })))
  return readPage(db, query, { sources, lanes, filter: { viewerId: viewer.id }, sort: newestFirst })
}

/** Where the global feed draws from. */
export async function globalSources(
  db: Db,
  viewer: Viewer,
  showOnlyMyFeed?: boolean,
): Promise<{ sources: FeedScan['sources']; everyone: boolean }> {
  const { globalFeed, userPrivacySetting } = await readSettings(db, 'social')
  const onlyMine = showOnlyMyFeed ?? globalFeed.showOnlyMyFeed
  return {
    sources: {
      keys: onlyMine || globalFeed.showMyPost ? [viewer.id] : [],
      following: !onlyMine && globalFeed.showFollowingPost,
      communities: !onlyMine && globalFeed.showCommunityPost,
    },
    everyone: !onlyMine && globalFeed.showEveryonePost && userPrivacySetting === 'public',
  }
}

/** Posts on the pages of those the viewer follows. */
export async function queryFollowingFeed(db: Db, viewer: Viewer, query: PageAsked): Promise<Page<FeedLine>> {
  return readPage(db, query, {
    sources: { following: true },
    lanes: lanesFor('page', {}),
    filter: { viewerId: viewer.id },
    sort: newestFirst,
  })
}

/** Posts of one place: published, waiting for review or declined, living or deleted. */
export async function queryPosts(db: Db, viewer: Viewer, query: PostsQuery): Promise<Page<FeedLine>> {
  const { targetId, targetType = 'community', dataType, tags } = query
  const dataTypes = query.dataTypes ?? (dataType === undefined ? undefined : [dataType])
  if (targetType === 'all') return queryEverywhere(db, viewer, { ...query, dataTypes })
  if (targetId === undefined) return fail('invalid', 'targetId is required')
  const place = await requireReadablePlace(db, viewer, targetType, targetId)
  return queryPlace(db, viewer, place, { ...query, dataTypes }, { feedTypes: query.feedType, tags })
}

interface PlaceFilter {
  feedTypes?: string[] | undefined
  tags?: string[] | undefined
}

async function queryPlace(
  db: Db,
  viewer: Viewer,
  place: Place,
  query: Omit<FeedQuery, 'dataTypes'> & { dataTypes?: string[] | undefined },
  { feedTypes = ['published'], tags }: PlaceFilter = {},
): Promise<Page<FeedLine>> {
  const { targetType, targetId, membership } = place
  const filter = filterOf(viewer, place, query)
  const isIndexed =
    filter.deletion === undefined &&
    feedTypes.every((type) => type === 'published') &&
    targetType !== 'content'
  const keys = isIndexed
    ? [targetId]
    : (await findFeeds(db, targetType, targetId))
        .filter((feed) => feedTypes.includes(feed.feedType))
        .map((feed) => feed.id)
  return readPage(db, query, {
    sources: { keys },
    lanes: lanesFor(isIndexed ? 'page' : 'feed', query),
    filter: {
      ...filter,
      ...(tags && { tags }),
      ...(!canReviewPosts(viewer, membership) && { ownUnpublished: true }),
    },
    sort: sortOf(query.sortBy),
  })
}

/** A person's page; with `includePostedFeed` also, or instead, what they posted in communities the viewer may read. */
export async function queryUserFeed(
  db: Db,
  viewer: Viewer,
  userId: string,
  query: UserFeedQuery,
): Promise<Page<FeedLine>> {
  const { includePostedFeed = ['user'] } = query
  const place = await requireReadablePlace(db, viewer, 'user', userId)
  if (!includePostedFeed.includes('community')) return queryPlace(db, viewer, place, query)
  const posted = lanesFor('author', query).map((lane) => ({ ...lane, targetType: 'community' }))
  const own = includePostedFeed.includes('user') ? lanesFor('page', query) : []
  return readPage(db, query, {
    sources: { keys: [place.targetId] },
    lanes: [...own, ...posted],
    filter: { ...filterOf(viewer, place, query), readable: await readableBy(db, viewer) },
    sort: sortOf(query.sortBy),
  })
}

/** How many posts are on a person's page, living or deleted ones. */
export async function countUserFeed(
  db: Db,
  viewer: Viewer,
  userId: string,
  isDeleted: boolean,
): Promise<number> {
  const place = await requireReadablePlace(db, viewer, 'user', userId)
  const published = (await findFeeds(db, 'user', place.targetId)).find(
    (feed) => feed.feedType === 'published',
  )
  if (!published) return 0
  return isDeleted ? countDeletedPosts(db, published.id) : published.postCount
}

/** A community's published posts. */
export async function queryCommunityFeed(
  db: Db,
  viewer: Viewer,
  communityId: string,
  query: FeedQuery,
): Promise<Page<FeedLine>> {
  return queryPlace(db, viewer, await requireReadablePlace(db, viewer, 'community', communityId), query)
}

/** Posts on any content. */
export async function queryContentFeed(db: Db, viewer: Viewer, query: FeedQuery): Promise<Page<FeedLine>> {
  return readPage(db, query, {
    sources: {},
    lanes: lanesFor('content', query),
    filter: { viewerId: viewer.id, ...(query.hasFlag && { hasFlag: true }) },
    sort: sortOf(query.sortBy),
  })
}

/** Published posts anywhere the viewer may read, with one of some hashtags or of all. */
export async function searchPosts(db: Db, viewer: Viewer, query: SearchPostsQuery): Promise<Page<FeedLine>> {
  const hashtags = [...new Set((query.hashtags ?? []).map(hashtagKey))]
  if (hashtags.length === 0) return queryEverywhere(db, viewer, query)
  return queryLanes(db, viewer, query, lanesFor('hashtag', query), hashtags)
}

async function queryEverywhere(
  db: Db,
  viewer: Viewer,
  query: Omit<PostsQuery, 'dataTypes'> & { dataTypes?: string[] | undefined },
): Promise<Page<FeedLine>> {
  return queryLanes(db, viewer, query, lanesFor('everywhere', query), [])
}

async function queryLanes(
  db: Db,
  viewer: Viewer,
  query: PageAsked & {
    targetType?: string
    sortBy?: FeedQuery['sortBy']
    tags?: string[]
    hasFlag?: boolean
  },
  lanes: Lane[],
  keys: string[],
): Promise<Page<FeedLine>> {
  const { targetType = 'all', tags, hasFlag } = query
  return readPage(db, query, {
    sources: { keys },
    lanes: targetType === 'all' ? lanes : lanes.map((lane) => ({ ...lane, targetType })),
    filter: {
      viewerId: viewer.id,
      ...(tags && { tags }),
      ...(hasFlag && { hasFlag }),
      readable: await readableBy(db, viewer),
    },
    sort: sortOf(query.sortBy),
  })
}

/** What decides, place by place, what the viewer may read. */
export async function readableBy(db: Db, viewer: Viewer): Promise<NonNullable<PostFilter['readable']>> {
  return {
    seesEveryCommunity: can('EDIT_COMMUNITY', viewer),
    arePagesPrivate: await arePagesPrivate(db),
    seesEveryPage: can('DELETE_USER_FEED_POST', viewer),
  }
}

function filterOf(viewer: Viewer, { targetType, membership }: Place, query: FeedQuery): PostFilter {
  const seesAll = canModeratePost(viewer, { targetType, postedUserId: '' }, membership)
  const { hasFlag, isDeleted } = query
  return {
    viewerId: viewer.id,
    ...(hasFlag && { hasFlag }),
    ...(isDeleted !== false && { deletion: isDeleted ? 'deleted' : 'any' }),
    ...(seesAll && { seesAll }),
  }
}

function sortOf(sortBy: FeedQuery['sortBy'] = 'lastCreated'): FeedScan['sort'] {
  return {
    by: sortBy.endsWith('Updated') ? 'updated' : 'created',
    order: sortBy.startsWith('last') ? 'desc' : 'asc',
  }
}

async function readPage(db: Db, query: PageAsked, scan: FeedScan): Promise<Page<FeedLine>> {
  const cursor = parsePage(query)
  const lines = await findFeedLines(db, scan, cursor)
  return cutPage(lines, cursor, (line) => [line.at.getTime(), line.id])
}
