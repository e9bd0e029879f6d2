import type { Db } from '../../kernel/database.ts'
import { cutPage, parsePage, type Paging } from '../../kernel/paging.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import { pairId } from './pair.ts'
import { canSeeRequests } from './policy.ts'
import type { BlockListQuery, FollowListQuery } from './schema.ts'
import {
  countBlocks,
  findStatus,
  queryBlockRows,
  queryRelationRows,
  type ListedRelation,
  type RelationFilter,
} from './store.ts'

/** A page of relations, by `pairId`. */
export interface RelationPage {
  ids: string[]
  paging: Paging
}

const keyOf = (row: ListedRelation) => [row.createdAt.getTime(), row.otherId]

/** Who follows a user, or whom they follow. `userId` is internal. */
export async function queryRelations(
  db: Db,
  viewer: Viewer,
  userId: string,
  side: RelationFilter['side'],
  query: FollowListQuery,
): Promise<RelationPage> {
  const cursor = parsePage(query)
  const { status = 'all', isDeleted } = query
  const filter: RelationFilter = {
    userId,
    side,
    status,
    viewerId: viewer.id,
    showsRequests: canSeeRequests(viewer, userId),
    ...(isDeleted !== undefined && { isDeleted }),
  }
  const { rows, paging } = cutPage(await queryRelationRows(db, filter, cursor), cursor, keyOf)
  const idOf = ({ otherId }: ListedRelation) =>
    side === 'followers' ? pairId({ from: otherId, to: userId }) : pairId({ from: userId, to: otherId })
  return { ids: rows.map(idOf), paging }
}

/** Whom the viewer blocked. */
export async function queryBlocks(db: Db, viewer: Viewer, query: BlockListQuery): Promise<RelationPage> {
  const cursor = parsePage(query)
  const fetched = await queryBlockRows(db, viewer.id, query.isDeleted, cursor)
  const { rows, paging } = cutPage(fetched, cursor, keyOf)
  const total = await countBlocks(db, viewer.id, query.isDeleted)
  return {
    ids: rows.map((row) => pairId({ from: viewer.id, to: row.otherId })),
    paging: { ...paging, total },
  }
}

/** Whether one user follows another, accepted. */
export async function isFollowing(db: Db, from: string, to: string): Promise<boolean> {
  return (await findStatus(db, { from, to })) === 'accepted'
}
