import { sql, type Insertable, type Selectable, type Updateable } from 'kysely'
import type { DB } from '../../../../db/tables.ts'
import type { Db, Tx } from '../../../kernel/database.ts'
import { anyOf } from '../../../platform/database/any-of.ts'

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
