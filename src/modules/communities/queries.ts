import type { Db } from '../../kernel/database.ts'
import { cutPage, parsePage, type Page } from '../../kernel/paging.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import { isCommunityStaff } from './policy.ts'
import type { QueryCommunitiesQuery, RankedCommunitiesQuery } from './schema.ts'
import { findRecommendedIds, findTrendingIds, queryCommunityRows } from './store.ts'

/** A page of the communities the viewer may know of. */
export async function queryCommunities(
  db: Db,
  viewer: Viewer,
  query: QueryCommunitiesQuery,
): Promise<Page<{ id: string }>> {
  const cursor = parsePage(query)
  const { tags, categoryId, hasFlag, sortBy = 'lastCreated' } = query
  const keyword = query.keyword ?? query.displayName
  const isDeleted = query.isDeleted ?? (query.includeDeleted === false ? false : undefined)
  const rows = await queryCommunityRows(
    db,
    {
      viewerId: viewer.id,
      isStaff: isCommunityStaff(viewer),
      includeDiscoverable: query.includeDiscoverablePrivateCommunity ?? false,
      membership: query.filter ?? query.membership ?? 'all',
      sortBy,
      ...(keyword && { keyword }),
      ...(tags && { tags }),
      ...(categoryId && { categoryId }),
      ...(isDeleted !== undefined && { isDeleted }),
      ...(hasFlag !== undefined && { hasFlag }),
    },
    cursor,
  )
  return cutPage(rows, cursor, (row) =>
    sortBy === 'displayName' ? [row.id] : [row.createdAt.getTime(), row.id],
  )
}

/** The communities with the most recent activity (docs/decisions/top-trending.md). */
export async function listTopTrending(db: Db, query: RankedCommunitiesQuery): Promise<string[]> {
  return findTrendingIds(db, limitOf(query), query.includeDiscoverablePrivateCommunity ?? false)
}

/** Communities that the viewer might like to join (docs/decisions/top-trending.md). */
export async function listRecommended(
  db: Db,
  viewer: Viewer,
  query: RankedCommunitiesQuery,
): Promise<string[]> {
  return findRecommendedIds(db, viewer.id, limitOf(query), query.includeDiscoverablePrivateCommunity ?? false)
}

function limitOf({ options, limit }: RankedCommunitiesQuery): number {
  return options?.limit ?? limit ?? 5
}
