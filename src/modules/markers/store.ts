import { sql } from 'kysely'
import type { Db } from '../../kernel/database.ts'
import type { Cursor } from '../../kernel/paging.ts'
import { now } from '../../platform/clock.ts'

export interface UserMarkerRow {
  userId: string
  unreadCount: number
  isMentioned: boolean
  lastSyncAt: Date
  createdAt: Date
  updatedAt: Date
}

/** What users have before them in all their channels. */
export async function findUserMarkers(db: Db, userIds: string[], lastSyncAt: Date): Promise<UserMarkerRow[]> {
  const { rows } = await sql<UserMarkerRow>`
    select users.id as user_id, coalesce(before.unread_count, 0) as unread_count,
      coalesce(before.is_mentioned, false) as is_mentioned, ${lastSyncAt}::timestamptz as last_sync_at,
      users.created_at, greatest(users.created_at, news.at) as updated_at
    from users
    left join lateral (
      select sum(feed.unread_count)::bigint as unread_count, bool_or(feed.mention_segment > 0) as is_mentioned
      from channel_members member
      join channels channel on channel.id = member.channel_id and channel.message_count > member.read_to_segment
      cross join lateral message_feeds_before(member.user_id, member.channel_id) feed
      where member.user_id = users.id and member.membership = 'member'
    ) before on true
    left join lateral (
      select max(greatest(channel.last_activity, member.last_activity)) as at
      from channel_members member join channels channel on channel.id = member.channel_id
      where member.user_id = users.id and member.membership = 'member'
    ) news on true
    where users.id = any (${userIds})`.execute(db)
  return rows
}

export interface UserEntityMarkerRow {
  channelId: string
  userId: string
  membership: 'none' | 'member' | 'banned'
  isMuted: boolean
  isDeleted: boolean
  unreadCount: number
  isMentioned: boolean
  createdAt: Date
  updatedAt: Date
}

/** What users have before them in channels they are or were in. */
export async function findUserEntityMarkers(
  db: Db,
  pairs: { channelId: string; userId: string }[],
): Promise<UserEntityMarkerRow[]> {
  const { rows } = await sql<UserEntityMarkerRow>`
    select member.channel_id, member.user_id,
      case when channel.is_closed and member.membership = 'member' then 'none' else member.membership end as membership,
      coalesce(member.mute_timeout > ${now()}, false) as is_muted, channel.is_deleted, before.unread_count,
      before.is_mentioned, member.created_at, greatest(before.updated_at, channel.updated_at) as updated_at
    from ${asked(pairs)}
    join channel_members member on member.channel_id = asked.id and member.user_id = asked.user_id
    join channels channel on channel.id = member.channel_id
    cross join lateral (
      select sum(feed.unread_count)::bigint as unread_count, bool_or(feed.mention_segment > 0) as is_mentioned,
        max(feed.updated_at) as updated_at
      from message_feeds_before(member.user_id, member.channel_id) feed
    ) before`.execute(db)
  return rows
}

export interface UserFeedMarkerRow {
  messageFeedId: string
  channelId: string
  userId: string
  readToSegment: number
  deliveredToSegment: number
  lastSegment: number
  unreadCount: number
  mentionSegment: number
  createdAt: Date
  updatedAt: Date
}

/** How far users are in feeds of channels they are or were in. */
export async function findUserFeedMarkers(
  db: Db,
  pairs: { messageFeedId: string; userId: string }[],
): Promise<UserFeedMarkerRow[]> {
  const { rows } = await sql<UserFeedMarkerRow>`
    select place.channel_id, asked.user_id, feed.message_feed_id, feed.read_to_segment, feed.delivered_to_segment,
      feed.last_segment, feed.unread_count, feed.mention_segment, feed.created_at, feed.updated_at
    from ${asked(pairs.map(({ messageFeedId, userId }) => ({ channelId: messageFeedId, userId })))}
    join message_feeds place on place.id = asked.id
    cross join lateral message_feeds_before(asked.user_id, place.channel_id) feed
    where feed.message_feed_id = place.id`.execute(db)
  return rows
}

function asked(pairs: { channelId: string; userId: string }[]) {
  return sql`unnest(${pairs.map((pair) => pair.channelId)}::text[], ${pairs.map((pair) => pair.userId)}::text[])
    as asked (id, user_id)`
}

export interface FeedMarkerRow {
  id: string
  channelId: string
  lastSegment: number
  isDeleted: boolean
  createdAt: Date
  updatedAt: Date
}

/** How far feeds have come. */
export async function findFeedMarkers(db: Db, ids: string[]): Promise<FeedMarkerRow[]> {
  const { rows } = await sql<FeedMarkerRow>`
    select feed.id, feed.channel_id, feed.is_deleted or channel.is_deleted as is_deleted, feed.created_at,
      greatest(feed.updated_at, feed.last_message_timestamp) as updated_at,
      coalesce((select max(segment) from messages where message_feed_id = feed.id), 0) as last_segment
    from message_feeds feed join channels channel on channel.id = feed.channel_id
    where feed.id = any (${ids})`.execute(db)
  return rows
}

/** The feeds of channels, deleted ones too. */
export async function findFeedsOfChannels(
  db: Db,
  channelIds: string[],
): Promise<{ id: string; channelId: string }[]> {
  const { rows } = await sql<{ id: string; channelId: string }>`
    select id, channel_id from message_feeds where channel_id = any (${channelIds}) order by created_at, id`.execute(
    db,
  )
  return rows
}

export interface ChangedFeed {
  messageFeedId: string
  channelId: string
  updatedAt: Date
}

/**
 * The feeds of a user's channels in which something changed for them after a time, oldest change first: so many, and
 * those that changed at the same moment as the last of them.
 */
export async function findChangedFeeds(
  db: Db,
  userId: string,
  after: Date,
  limit: number,
): Promise<ChangedFeed[]> {
  const { rows } = await sql<ChangedFeed>`
    select feed.message_feed_id, member.channel_id, feed.updated_at
    from channel_members member
    cross join lateral message_feeds_before(member.user_id, member.channel_id) feed
    where member.user_id = ${userId} and feed.updated_at > ${after}
    order by feed.updated_at fetch first ${sql.lit(limit)} rows with ties`.execute(db)
  return rows
}

export interface ReaderFilter {
  channelId: string
  messageFeedId: string
  creatorId: string
  segment: number
  kind: 'read' | 'delivered'
  memberships: readonly ('member' | 'muted' | 'banned' | 'non-member' | 'deleted')[]
}

/** A page of those who have read or received a message, by internal id. */
export async function queryReaderRows(
  db: Db,
  filter: ReaderFilter,
  { limit, key, direction }: Cursor,
): Promise<{ id: string; userId: string }[]> {
  const own = filter.kind === 'read' ? sql`mark.read_to_segment` : sql`mark.delivered_to_segment`
  const [boundary] = key
  const isBackward = direction === 'before'
  const beyond =
    boundary === undefined
      ? sql`true`
      : sql`member.user_id ${isBackward ? sql`<` : sql`>`} ${String(boundary)}`
  const { rows } = await sql<{ id: string; userId: string }>`
    select member.user_id as id, users.user_id from channel_members member
    join users on users.id = member.user_id
    left join message_feed_marks mark on mark.user_id = member.user_id and mark.message_feed_id = ${filter.messageFeedId}
    where member.channel_id = ${filter.channelId} and member.user_id <> ${filter.creatorId}
      and member.joined_at_segment < ${filter.segment}
      and greatest(member.read_to_segment, ${own}) >= ${filter.segment}
      and case
        when users.is_deleted then 'deleted'
        when member.membership = 'none' then 'non-member'
        when member.membership = 'member' and member.mute_timeout > ${now()} then 'muted'
        else member.membership end = any (${filter.memberships})
      and ${beyond}
    order by member.user_id ${isBackward ? sql`desc` : sql`asc`} limit ${limit + 1}`.execute(db)
  return rows
}
