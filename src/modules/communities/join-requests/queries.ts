import type { Db } from '../../../kernel/database.ts'
import { fail } from '../../../kernel/errors.ts'
import { cutPage, parsePage, type Page } from '../../../kernel/paging.ts'
import { can } from '../../../kernel/permissions.ts'
import type { Viewer } from '../../../kernel/viewer.ts'
import { requireReadableCommunity, requireVisibleCommunity } from '../access.ts'
import type { QueryJoinRequestsQuery, QueryMyJoinRequestsQuery } from './schema.ts'
import { findLatestJoinRequest, queryJoinRequestRows, type JoinRequestFilter } from './store.ts'

/** A community's join requests, for those who may answer them. */
export async function queryJoinRequests(
  db: Db,
  viewer: Viewer,
  communityId: string,
  query: QueryJoinRequestsQuery,
): Promise<Page<{ id: string }>> {
  const { community, membership } = await requireReadableCommunity(db, viewer, communityId)
  if (!can('ADD_COMMUNITY_USER', viewer, membership)) fail('permissionDenied', 'ADD_COMMUNITY_USER')
  return page(db, { communityIds: [community.id], ...(query.status && { status: query.status }) }, query)
}

/** The viewer's own requests, in all communities or in these. */
export async function queryMyJoinRequests(
  db: Db,
  viewer: Viewer,
  query: QueryMyJoinRequestsQuery,
): Promise<Page<{ id: string }>> {
  const { communityIds, status } = query
  return page(
    db,
    { userId: viewer.id, ...(communityIds && { communityIds }), ...(status && { status }) },
    query,
  )
}

/** The viewer's newest request in a community, if they ever made one. */
export async function findMyJoinRequest(db: Db, viewer: Viewer, communityId: string): Promise<string[]> {
  const { community } = await requireVisibleCommunity(db, viewer, communityId)
  const latest = await findLatestJoinRequest(db, community.id, viewer.id)
  return latest ? [latest.id] : []
}

async function page(
  db: Db,
  filter: JoinRequestFilter,
  query: QueryJoinRequestsQuery | QueryMyJoinRequestsQuery,
): Promise<Page<{ id: string }>> {
  const cursor = parsePage(query)
  const rows = await queryJoinRequestRows(
    db,
    filter,
    cursor,
    query.sortBy === 'firstCreated' ? 'asc' : 'desc',
  )
  return cutPage(rows, cursor, (row) => [row.createdAt.getTime(), row.id])
}
