import { sql } from 'kysely'
import type { Db, Tx } from '../../../kernel/database.ts'
import { byId } from '../../../kernel/envelope/resource.ts'
import { fail } from '../../../kernel/errors.ts'
import { joined } from '../../../kernel/joined.ts'
import { anyOf } from '../../../platform/database/any-of.ts'
import { keysetPage, type KeysetPosition } from '../../../platform/database/keyset.ts'
import { now } from '../../../platform/clock.ts'
import { membershipId, splitMembershipId } from './id.ts'
import { moderatorRole, type memberships } from '../schema.ts'

export type Membership = (typeof memberships)[number]

export interface ChannelMemberRow {
  channelId: string
  channelPublicId: string
  userId: string
  userPublicId: string
  membership: Membership
  roles: string[]
  permissions: string[]
  isMuted: boolean
  muteTimeout: Date | null
  joinedAtSegment: number
  readToSegment: number
  lastMentionedSegment: number
  archivedAt: Date | null
  lastActivity: Date
  createdAt: Date
  updatedAt: Date
}

function selectMembers(db: Db) {
  return db
    .selectFrom('channelMembers as member')
    .innerJoin('channels', 'channels.id', 'member.channelId')
    .innerJoin('users', 'users.id', 'member.userId')
    .select([
      'member.channelId',
      'channels.channelId as channelPublicId',
      'member.userId',
      'users.userId as userPublicId',
      'member.roles',
      'member.muteTimeout',
      'member.joinedAtSegment',
      'member.readToSegment',
      'member.archivedAt',
      'member.lastActivity',
      'member.createdAt',
      'member.updatedAt',
      // A closed channel has no members; the rows are kept to know whom to tell.
      sql<Membership>`case when channels.is_closed and member.membership = 'member' then 'none'
        else member.membership end`.as('membership'),
      sql<string[]>`case when member.roles = '{}' then '{}' else role_permissions(member.roles) end`.as(
        'permissions',
      ),
      sql<boolean>`coalesce(member.mute_timeout > ${now()}, false)`.as('isMuted'),
      sql<number>`greatest(member.last_mentioned_segment, case
        when channels.last_channel_mention_segment > member.joined_at_segment
        then channels.last_channel_mention_segment else 0 end)`.as('lastMentionedSegment'),
    ])
}

/** Memberships by `(channel, user)`, both internal ids; pairs without a row are left out. */
export async function findMembers(
  db: Db,
  pairs: { channelId: string; userId: string }[],
): Promise<ChannelMemberRow[]> {
  const ids = pairs.map(({ channelId, userId }) => membershipId(channelId, userId))
  return [...(await loadMembers(db, ids)).values()]
}

/** Memberships by their ids (`membershipId`). */
export const loadMembers = joined<ChannelMemberRow>(async (db, ids) => {
  const pairs = ids.map(splitMembershipId)
  const asked = sql`select * from unnest(${pairs.map((pair) => pair.channelId)}::text[], ${pairs.map((pair) => pair.userId)}::text[])`
  const members = await selectMembers(db)
    .where(sql<boolean>`(member.channel_id, member.user_id) in (${asked})`)
    .execute()
  return byId(members, (row) => membershipId(row.channelId, row.userId))
})

/** What the rules ask of a membership, without what only its presentation needs. */
export interface MemberFacts {
  channelId: string
  userId: string
  membership: Membership
  permissions: string[]
  isMuted: boolean
}

/** The facts of memberships by `(channel, user)`; whether the channel is closed is for the caller to ask. */
export async function findMemberFacts(
  db: Db,
  pairs: { channelId: string; userId: string }[],
): Promise<MemberFacts[]> {
  const { rows } = await sql<MemberFacts>`
    select member.channel_id, member.user_id, member.membership,
      case when member.roles = '{}' then '{}' else role_permissions(member.roles) end as permissions,
      coalesce(member.mute_timeout > ${now()}, false) as is_muted
    from unnest(${pairs.map((pair) => pair.channelId)}::text[], ${pairs.map((pair) => pair.userId)}::text[])
      as asked (channel_id, user_id)
    join channel_members member using (channel_id, user_id)`.execute(db)
  return rows
}

/** The channels whose news reach a user on their personal topics: theirs, except live ones. */
export async function findChannelIdsOf(db: Db, userId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('channelMembers as member')
    .innerJoin('channels', 'channels.id', 'member.channelId')
    .select('member.channelId')
    .where('member.userId', '=', userId)
    .where('member.membership', '=', 'member')
    .where('channels.type', '<>', 'live')
    .where('channels.isDeleted', '=', false)
    .where('channels.isClosed', '=', false)
    .execute()
  return rows.map((row) => row.channelId)
}

/** Some of the channels a user is a member of by their own or a moderator's will: no conversations, none of communities. */
export async function findOpenChannelsOf(db: Db, userId: string, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('channelMembers as member')
    .innerJoin('channels', 'channels.id', 'member.channelId')
    .select('member.channelId')
    .where('member.userId', '=', userId)
    .where('member.membership', '=', 'member')
    .where('channels.type', '<>', 'conversation')
    .where('channels.communityId', 'is', null)
    .where('channels.isDeleted', '=', false)
    .orderBy('member.channelId')
    .limit(limit)
    .execute()
  return rows.map((row) => row.channelId)
}

/**
 * Makes users members: newcomers and those who had left, not those banned or in already. Answers whom it made members.
 * The channel is locked.
 */
export async function upsertMembers(
  tx: Tx,
  channelId: string,
  userIds: string[],
  { roles, at, segment }: { roles: string[]; at: Date; segment: number },
): Promise<string[]> {
  if (userIds.length === 0) return []
  const { rows } = await sql<{ userId: string }>`
    insert into channel_members as member (channel_id, user_id, membership, roles, joined_at_segment, read_to_segment,
      last_activity, created_at, updated_at)
    select ${channelId}, user_id, 'member', ${roles}::text[], ${segment}::bigint, ${segment}::bigint, ${at}::timestamptz,
      ${at}::timestamptz, ${at}::timestamptz
    from unnest(${userIds}::text[]) user_id
    on conflict (channel_id, user_id) do update set membership = 'member', roles = excluded.roles,
      joined_at_segment = excluded.joined_at_segment,
      read_to_segment = greatest(member.read_to_segment, excluded.read_to_segment),
      last_activity = excluded.last_activity, updated_at = excluded.updated_at
    where member.membership = 'none'
    returning user_id`.execute(tx)
  return rows.map((row) => row.userId)
}

/** Someone whose membership changed, and what they were before. */
export interface FormerMember {
  userId: string
  wasMember: boolean
  wasModerator: boolean
}

/** Ends or bans memberships that are one of `from`; answers those it changed. Whoever goes loses their roles. */
export async function updateMemberships(
  tx: Tx,
  channelId: string,
  userIds: string[],
  { from, to, at }: { from: readonly Membership[]; to: Membership; at: Date },
): Promise<FormerMember[]> {
  const { rows } = await sql<FormerMember>`
    update channel_members member
    set membership = ${to}, roles = '{}', archived_at = null, updated_at = ${at}
    from (
      select user_id, membership, roles from channel_members
      where channel_id = ${channelId} and user_id = any (${userIds}) and membership = any (${from})
      order by user_id for update
    ) former
    where member.channel_id = ${channelId} and member.user_id = former.user_id
    returning member.user_id, former.membership = 'member' as was_member,
      former.membership = 'member' and ${moderatorRole} = any (former.roles) as was_moderator`.execute(tx)
  return rows
}

/** Bans people who never were in the channel, so that they cannot join; answers whom. */
export async function insertBanned(
  tx: Tx,
  channelId: string,
  userIds: string[],
  at: Date,
): Promise<string[]> {
  const { rows } = await sql<{ userId: string }>`
    insert into channel_members (channel_id, user_id, membership, last_activity, created_at, updated_at)
    select ${channelId}, user_id, 'banned', ${at}::timestamptz, ${at}::timestamptz, ${at}::timestamptz
    from unnest(${userIds}::text[]) user_id
    on conflict (channel_id, user_id) do nothing
    returning user_id`.execute(tx)
  return rows.map((row) => row.userId)
}

/** Gives or takes a role; answers the members it changed. */
export async function changeRole(
  tx: Tx,
  channelId: string,
  userIds: string[],
  change: { add: string } | { remove: string },
  at: Date,
): Promise<string[]> {
  const role = 'add' in change ? change.add : change.remove
  const rows = await tx
    .updateTable('channelMembers')
    .set({
      roles: 'add' in change ? sql`array_append(roles, ${role})` : sql`array_remove(roles, ${role})`,
      updatedAt: at,
    })
    .where('channelId', '=', channelId)
    .where('userId', '=', anyOf(userIds))
    .where('membership', '=', 'member')
    .where(sql<boolean>`(${role} = any (roles)) = ${'remove' in change}`)
    .returning('userId')
    .execute()
  return rows.map((row) => row.userId)
}

/** Mutes members until then, or lets them speak again; answers whom it found. */
export async function muteMemberRows(
  tx: Tx,
  channelId: string,
  userIds: string[],
  muteTimeout: Date | null,
  at: Date,
): Promise<string[]> {
  const rows = await tx
    .updateTable('channelMembers')
    .set({ muteTimeout, updatedAt: at })
    .where('channelId', '=', channelId)
    .where('userId', '=', anyOf(userIds))
    .where('membership', '=', 'member')
    .returning('userId')
    .execute()
  return rows.map((row) => row.userId)
}

/** Puts a member's channel away, or takes it out again. */
export async function archiveRow(
  tx: Tx,
  channelId: string,
  userId: string,
  archivedAt: Date | null,
): Promise<void> {
  await tx
    .updateTable('channelMembers')
    .set({ archivedAt })
    .where('channelId', '=', channelId)
    .where('userId', '=', userId)
    .execute()
}

/** How many channels a user has put away. */
export async function countArchived(db: Db, userId: string): Promise<number> {
  const row = await db
    .selectFrom('channelMembers')
    .select((e) => e.fn.countAll<number>().as('n'))
    .where('userId', '=', userId)
    .where('archivedAt', 'is not', null)
    .executeTakeFirstOrThrow()
  return row.n
}

export interface MemberFilter {
  channelId: string
  memberships: readonly ('member' | 'muted' | 'banned')[]
  roles?: string[] | undefined
  search?: string | undefined
  /** Whether the user behind the membership is deleted. */
  isDeleted?: boolean | undefined
}

/** A page of members by when they first came. */
export async function queryMemberRows(
  db: Db,
  { channelId, memberships, roles, search, isDeleted }: MemberFilter,
  position: KeysetPosition,
  order: 'asc' | 'desc',
): Promise<{ userId: string; createdAt: Date }[]> {
  const muted = sql<boolean>`member.mute_timeout > ${now()}`
  let rows = db
    .selectFrom('channelMembers as member')
    .innerJoin('channels', 'channels.id', 'member.channelId')
    .innerJoin('users', 'users.id', 'member.userId')
    .select(['member.userId', 'member.createdAt'])
    .where('member.channelId', '=', channelId)
    .where((e) =>
      e.or(
        memberships.map((membership) =>
          membership === 'banned'
            ? e('member.membership', '=', 'banned')
            : e.and([
                e('member.membership', '=', 'member'),
                e('channels.isClosed', '=', false),
                ...(membership === 'muted' ? [muted] : []),
              ]),
        ),
      ),
    )
  if (roles?.length) rows = rows.where(sql<boolean>`member.roles && ${roles}::text[]`)
  if (isDeleted !== undefined) rows = rows.where('users.isDeleted', '=', isDeleted)
  if (search) {
    const pattern = `%${search.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`
    rows = rows.where((e) =>
      e.or([
        e(sql`lower(users.display_name)`, 'like', pattern),
        e(sql`lower(users.user_id)`, 'like', pattern),
      ]),
    )
  }
  const page = keysetPage(
    rows,
    position,
    [
      { column: 'member.createdAt', type: 'time' },
      { column: 'member.userId', type: 'text' },
    ],
    order,
  )
  return (page ?? fail('badPageToken')).execute()
}

/** Changes the counts of a channel along with its members. The channel is locked. */
export async function adjustMemberCounts(
  tx: Tx,
  channelId: string,
  { members, moderators }: { members: number; moderators: number },
): Promise<void> {
  if (members === 0 && moderators === 0) return
  await sql`
    update channels set member_count = member_count + ${members},
      moderator_member_count = moderator_member_count + ${moderators}
    where id = ${channelId}`.execute(tx)
}
