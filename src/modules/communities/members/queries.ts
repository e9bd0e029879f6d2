import type { Db } from '../../../kernel/database.ts'
import { fail } from '../../../kernel/errors.ts'
import { cutPage, parsePage, type Page } from '../../../kernel/paging.ts'
import type { Viewer } from '../../../kernel/viewer.ts'
import { requireReadableCommunity, requireVisibleCommunity } from '../access.ts'
import { canListBanned } from '../policy.ts'
import type { QueryMembersQuery } from './schema.ts'
import { queryMemberRows, type ListedMember } from './store.ts'

/** A page of a community's members; of the banned only for those who may ban. */
export async function queryMembers(
  db: Db,
  viewer: Viewer,
  communityId: string,
  query: QueryMembersQuery,
): Promise<Page<ListedMember> & { communityId: string }> {
  const { community, membership } = await requireReadableCommunity(db, viewer, communityId)
  if (query.memberships?.includes('banned') && !canListBanned(viewer, membership)) {
    fail('permissionDenied', 'BAN_COMMUNITY_USER')
  }
  const cursor = parsePage(query)
  const byName = query.sortBy === 'displayName'
  const page = cutPage(await queryMemberRows(db, community.id, query, cursor), cursor, (row) =>
    byName ? [row.userId] : [row.createdAt.getTime(), row.userId],
  )
  return { ...page, communityId: community.id }
}

/** What the viewer may do in a community, by their roles in it and in the network. */
export async function findMyPermissions(
  db: Db,
  viewer: Viewer,
  communityId: string,
): Promise<{ isCreator: boolean; permissions: string[] }> {
  const { community, membership } = await requireVisibleCommunity(db, viewer, communityId)
  const permissions = new Set([...viewer.permissions, ...(membership?.permissions ?? [])])
  return { isCreator: community.userId === viewer.id, permissions: [...permissions].sort() }
}
