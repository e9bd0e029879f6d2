import { sql, type Insertable, type Selectable, type Updateable } from 'kysely'
import type { DB } from '../../../db/tables.ts'
import type { Db, Tx } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import type { Cursor } from '../../kernel/paging.ts'
import { anyOf } from '../../platform/database/any-of.ts'
import { searchText } from '../../platform/database/containing.ts'
import { keysetPage } from '../../platform/database/keyset.ts'

export type CommunityRow = Selectable<DB['communities']>

/** A community with the public id of who made it, as it is shown. */
export interface ShownCommunityRow extends CommunityRow {
  userPublicId: string
}

export async function findCommunitiesById(db: Db, ids: string[]): Promise<ShownCommunityRow[]> {
  return db
    .selectFrom('communities')
    .innerJoin('users', 'users.id', 'communities.userId')
    .selectAll('communities')
    .select('users.userId as userPublicId')
    .where('communities.id', '=', anyOf(ids))
    .execute()
}

/** A community, deleted or not. */
export async function findCommunity(db: Db, id: string): Promise<CommunityRow | undefined> {
  return db.selectFrom('communities').selectAll().where('id', '=', id).executeTakeFirst()
}

/** Reads a community and keeps others from changing it, its members or its counts until `tx` ends. */
export async function lockCommunity(tx: Tx, id: string): Promise<CommunityRow | undefined> {
  return tx.selectFrom('communities').selectAll().where('id', '=', id).forNoKeyUpdate().executeTakeFirst()
}

export async function insertCommunity(tx: Tx, community: Insertable<DB['communities']>): Promise<void> {
  await tx.insertInto('communities').values(community).execute()
}

export async function updateCommunityRow(
  tx: Tx,
  id: string,
  changes: Updateable<DB['communities']>,
): Promise<void> {
  await tx.updateTable('communities').set(changes).where('id', '=', id).execute()
}

/** What is added to the counters of a community; negative takes away. */
export interface CountChanges {
  posts?: number
  members?: number
  moderators?: number
  flaggedPosts?: number
  flaggedComments?: number
  trend?: number
}

/** Changes counters in one statement. `trend` stops at 0: what is left of a subtraction is rounding. */
export async function addToCounts(tx: Tx, id: string, changes: CountChanges): Promise<void> {
  const { posts = 0, members = 0, moderators = 0, flaggedPosts = 0, flaggedComments = 0, trend = 0 } = changes
  await tx
    .updateTable('communities')
    .set((e) => ({
      postsCount: e('postsCount', '+', posts),
      membersCount: e('membersCount', '+', members),
      moderatorMemberCount: e('moderatorMemberCount', '+', moderators),
      flaggedPostsCount: e('flaggedPostsCount', '+', flaggedPosts),
      flaggedCommentsCount: e('flaggedCommentsCount', '+', flaggedComments),
      trend: sql<number>`greatest(trend + ${trend}::double precision, 0)`,
    }))
    .where('id', '=', id)
    .execute()
}

/** Makes creations and renamings that want this name for themselves alone wait for one another. */
export async function lockDisplayName(tx: Tx, displayName: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('community name ' || lower(${displayName}::text), 0))`.execute(
    tx,
  )
}

/** Whether another living community has this name, letters' case aside. */
export async function hasDisplayName(db: Db, displayName: string, exceptId: string): Promise<boolean> {
  const row = await db
    .selectFrom('communities')
    .select('id')
    .where(sql`lower(display_name)`, '=', sql`lower(${displayName}::text)`)
    .where('isDeleted', '=', false)
    .where('id', '<>', exceptId)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** Which communities a list holds. */
export interface CommunityFilter {
  viewerId: string
  /** Whether the viewer sees every community there is. */
  isStaff: boolean
  includeDiscoverable: boolean
  membership: 'all' | 'member' | 'notMember'
  keyword?: string
  tags?: string[]
  categoryId?: string
  isDeleted?: boolean
  hasFlag?: boolean
  sortBy: 'firstCreated' | 'lastCreated' | 'displayName'
}

/** A page of communities. Sorted by name, the page key is the community's id alone; by time, time and id. */
export async function queryCommunityRows(
  db: Db,
  filter: CommunityFilter,
  cursor: Cursor,
): Promise<{ id: string; createdAt: Date }[]> {
  const { membership, keyword, tags, categoryId, isDeleted, hasFlag, sortBy } = filter
  let rows = db
    .selectFrom('communities as community')
    .leftJoin('communityMembers as own', (join) =>
      join
        .onRef('own.communityId', '=', 'community.id')
        .on('own.userId', '=', filter.viewerId)
        .on('own.membership', '=', 'member'),
    )
    .select(['community.id', 'community.createdAt', sql<string>`lower(community.display_name)`.as('name')])
    // Communities made for events are found by their events.
    .where('community.eventId', 'is', null)
  if (!filter.isStaff) {
    rows = rows.where((e) =>
      e.or([
        e('community.isPublic', '=', true),
        e('own.userId', 'is not', null),
        ...(filter.includeDiscoverable ? [e('community.isDiscoverable', '=', true)] : []),
      ]),
    )
  }
  if (membership === 'member') rows = rows.where('own.userId', 'is not', null)
  if (membership === 'notMember') rows = rows.where('own.userId', 'is', null)
  if (keyword) {
    const name = sql<string>`search_text(community.display_name)`
    rows = rows.where(name, 'like', `%${searchText(keyword)}%`)
  }
  if (tags && tags.length > 0) rows = rows.where(sql<boolean>`community.tags && ${tags}::text[]`)
  if (categoryId) rows = rows.where(sql<boolean>`community.category_ids && ${[categoryId]}::text[]`)
  if (isDeleted !== undefined) rows = rows.where('community.isDeleted', '=', isDeleted)
  if (hasFlag !== undefined) {
    const flagged = sql<boolean>`(community.flagged_posts_count > 0 or community.flagged_comments_count > 0)`
    rows = rows.where(flagged, '=', hasFlag)
  }
  const listed = db.selectFrom(rows.as('listed')).select(['id', 'createdAt'])
  const page =
    sortBy === 'displayName'
      ? keysetPage(
          listed,
          cursor,
          [
            {
              column: 'name',
              type: 'text',
              of: (id) => sql`(select lower(display_name) from communities where id = ${id})`,
            },
            { column: 'id', type: 'text' },
          ],
          'asc',
        )
      : keysetPage(
          listed,
          cursor,
          [
            { column: 'createdAt', type: 'time' },
            { column: 'id', type: 'text' },
          ],
          sortBy === 'firstCreated' ? 'asc' : 'desc',
        )
  return (page ?? fail('badPageToken')).execute()
}

const open = (includeDiscoverable: boolean) =>
  includeDiscoverable
    ? sql`not is_deleted and event_id is null and (is_public or is_discoverable)`
    : sql`not is_deleted and event_id is null and is_public`

/** Ids of the communities with the most recent activity, best first. */
export async function findTrendingIds(
  db: Db,
  limit: number,
  includeDiscoverable: boolean,
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from communities where ${open(includeDiscoverable)}
    order by trend desc, members_count desc, id desc limit ${limit}`.execute(db)
  return rows.map((row) => row.id)
}

/**
 * Ids of communities a person is neither in nor banned from: first those that share a category with one they are in,
 * then the others, the larger first in each.
 */
export async function findRecommendedIds(
  db: Db,
  userId: string,
  limit: number,
  includeDiscoverable: boolean,
): Promise<string[]> {
  const candidates = sql`${open(includeDiscoverable)} and not exists (
    select from community_members own
    where own.community_id = communities.id and own.user_id = ${userId} and own.membership <> 'none')`
  const { rows } = await sql<{ id: string }>`
    with mine as (
      select coalesce(array_agg(distinct category_id), '{}') as category_ids
      from community_members own
      join communities joined on joined.id = own.community_id, unnest(joined.category_ids) category_id
      where own.user_id = ${userId} and own.membership = 'member'
    ), alike as (
      select id, members_count from communities
      where category_ids && (select category_ids from mine) and ${candidates}
      order by members_count desc, id desc limit ${limit}
    ), others as (
      select id, members_count from communities
      where not category_ids && (select category_ids from mine) and ${candidates}
      order by members_count desc, id desc limit ${limit}
    )
    select id from (select id, members_count, 0 as rank from alike
      union all select id, members_count, 1 from others) ranked
    order by rank, members_count desc, id desc limit ${limit}`.execute(db)
  return rows.map((row) => row.id)
}
