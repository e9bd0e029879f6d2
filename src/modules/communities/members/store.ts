import { sql, type Insertable, type Selectable, type Updateable } from 'kysely'
import type { DB } from '../../../../db/tables.ts'
import type { Db, Tx } from '../../../kernel/database.ts'
import { fail } from '../../../kernel/errors.ts'
import type { Cursor } from '../../../kernel/paging.ts'
import { anyOf } from '../../../platform/database/any-of.ts'
import { searchText } from '../../../platform/database/containing.ts'
import { keysetPage } from '../../../platform/database/keyset.ts'
import type { QueryMembersQuery } from './schema.ts'

/** A membership with the permissions its roles grant inside the community. */
export interface MembershipRow extends Selectable<DB['communityMembers']> {
  permissions: string[]
}

/** A membership as it is shown. */
export interface ShownMembershipRow extends MembershipRow {
  userPublicId: string
  channelId: string
}

// Most members hold no role, and looking that up for each of them would cost more than the page itself.
const permissions = sql<string[]>`
  case when community_members.roles = '{}' then '{}' else role_permissions(community_members.roles) end`.as(
  'permissions',
)

export async function findMembershipsById(db: Db, membershipIds: string[]): Promise<ShownMembershipRow[]> {
  const keys = membershipIds.map((id) => id.split(':') as [string, string])
  const communityIds = keys.map(([communityId]) => communityId)
  const userIds = keys.map(([, userId]) => userId)
  return db
    .selectFrom('communityMembers')
    .innerJoin('users', 'users.id', 'communityMembers.userId')
    .innerJoin('communities', 'communities.id', 'communityMembers.communityId')
    .selectAll('communityMembers')
    .select(['users.userId as userPublicId', 'communities.channelId', permissions])
    .where(
      sql<boolean>`(community_members.community_id, community_members.user_id) in
        (select * from unnest(${communityIds}::text[], ${userIds}::text[]))`,
    )
    .execute()
}

/** One user's membership in a community: also a former, banned or invited one. */
export async function findMembership(
  db: Db,
  communityId: string,
  userId: string,
): Promise<MembershipRow | undefined> {
  return db
    .selectFrom('communityMembers')
    .selectAll()
    .select(permissions)
    .where('communityId', '=', communityId)
    .where('userId', '=', userId)
    .executeTakeFirst()
}

/** One user's memberships in many communities. */
export async function findMembershipsOf(
  db: Db,
  userId: string,
  communityIds: string[],
): Promise<MembershipRow[]> {
  return db
    .selectFrom('communityMembers')
    .selectAll()
    .select(permissions)
    .where('userId', '=', userId)
    .where('communityId', '=', anyOf(communityIds))
    .execute()
}

/** Some of the living communities a user is a member of. */
export async function findCommunitiesOf(db: Db, userId: string, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('communityMembers as member')
    .innerJoin('communities', 'communities.id', 'member.communityId')
    .select('member.communityId')
    .where('member.userId', '=', userId)
    .where('member.membership', '=', 'member')
    .where('communities.isDeleted', '=', false)
    .orderBy('member.communityId')
    .limit(limit)
    .execute()
  return rows.map((row) => row.communityId)
}

/** Many users' memberships in one community. */
export async function findMembershipsIn(
  db: Db,
  communityId: string,
  userIds: string[],
): Promise<MembershipRow[]> {
  return db
    .selectFrom('communityMembers')
    .selectAll()
    .select(permissions)
    .where('communityId', '=', communityId)
    .where('userId', '=', anyOf(userIds))
    .execute()
}

/** Writes memberships; one that exists is overwritten, but keeps the time it was first made. */
export async function upsertMemberships(tx: Tx, rows: Insertable<DB['communityMembers']>[]): Promise<void> {
  if (rows.length === 0) return
  await tx
    .insertInto('communityMembers')
    .values(rows)
    .onConflict((c) =>
      c.columns(['communityId', 'userId']).doUpdateSet((e) => ({
        membership: e.ref('excluded.membership'),
        notMemberReason: e.ref('excluded.notMemberReason'),
        roles: e.ref('excluded.roles'),
        isInvited: e.ref('excluded.isInvited'),
        trendShare: e.ref('excluded.trendShare'),
        lastActivity: e.ref('excluded.lastActivity'),
        lastJoin: e.ref('excluded.lastJoin'),
        updatedAt: e.ref('excluded.updatedAt'),
      })),
    )
    .execute()
}

/** Notes open invitations: people without a row get one, so that they see what they are invited to. */
export async function markInvited(tx: Tx, communityId: string, userIds: string[], at: Date): Promise<void> {
  if (userIds.length === 0) return
  const row = {
    communityId,
    membership: 'none',
    isInvited: true,
    lastActivity: at,
    createdAt: at,
    updatedAt: at,
  }
  await tx
    .insertInto('communityMembers')
    .values(userIds.map((userId) => ({ ...row, userId })))
    .onConflict((c) => c.columns(['communityId', 'userId']).doUpdateSet({ isInvited: true, updatedAt: at }))
    .execute()
}

export async function updateMembership(
  tx: Tx,
  communityId: string,
  userId: string,
  changes: Updateable<DB['communityMembers']>,
): Promise<void> {
  await tx
    .updateTable('communityMembers')
    .set(changes)
    .where('communityId', '=', communityId)
    .where('userId', '=', userId)
    .execute()
}

/** A line of a members list, with what it is sorted by. */
export interface ListedMember {
  userId: string
  createdAt: Date
}

/** A page of a community's people. Sorted by name, the page key is the user's id alone; by time, time and id. */
export async function queryMemberRows(
  db: Db,
  communityId: string,
  query: QueryMembersQuery,
  cursor: Cursor,
): Promise<ListedMember[]> {
  const { memberships = ['member'], roles, search, isDeleted, sortBy } = query
  const name = sql<string>`lower(coalesce(users.display_name, users.user_id))`
  let rows = db
    .selectFrom('communityMembers as member')
    .innerJoin('users', 'users.id', 'member.userId')
    .select(['member.userId', 'member.createdAt', name.as('name')])
    .where('member.communityId', '=', communityId)
    .where('member.membership', '=', anyOf(memberships))
  // The first condition is what the index of those with roles knows of.
  if (roles) rows = rows.where(sql<boolean>`member.roles <> '{}' and member.roles && ${roles}::text[]`)
  if (isDeleted !== undefined) rows = rows.where('users.isDeleted', '=', isDeleted)
  if (search) {
    const pattern = `%${searchText(search)}%`
    rows = rows.where((e) =>
      e.or([
        e(sql`search_text(${name})`, 'like', pattern),
        e(sql`search_text(users.user_id)`, 'like', pattern),
      ]),
    )
  }
  const listed = db.selectFrom(rows.as('listed')).select(['userId', 'createdAt'])
  const page =
    sortBy === 'displayName'
      ? keysetPage(
          listed,
          cursor,
          [
            {
              column: 'name',
              type: 'text',
              of: (userId) =>
                sql`(select lower(coalesce(display_name, user_id)) from users where id = ${userId})`,
            },
            { column: 'userId', type: 'text' },
          ],
          'asc',
        )
      : keysetPage(
          listed,
          cursor,
          [
            { column: 'createdAt', type: 'time' },
            { column: 'userId', type: 'text' },
          ],
          sortBy === 'firstCreated' ? 'asc' : 'desc',
        )
  return (page ?? fail('badPageToken')).execute()
}
