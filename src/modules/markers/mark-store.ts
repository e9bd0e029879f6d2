import { sql } from 'kysely'
import type { Db, Tx } from '../../kernel/database.ts'

/** A mark a user sets: in one feed, or with `messageFeedId` null in all feeds of a channel. */
export interface WantedMark {
  channelId: string
  messageFeedId: string | null
  segment: number
}

function unnestWanted(wanted: WantedMark[]) {
  return sql`unnest(${wanted.map((w) => w.channelId)}::text[], ${wanted.map((w) => w.messageFeedId)}::text[],
    ${wanted.map((w) => w.segment)}::bigint[]) as wanted (channel_id, message_feed_id, segment)`
}

/**
 * How far the membership's own mark reaches once these marks are set: to just before the first message still unread.
 * Reads what was said between the old mark and there, once.
 */
export async function findReach(
  db: Db,
  userId: string,
  wanted: WantedMark[],
): Promise<{ channelId: string; segment: number }[]> {
  const { rows } = await sql<{ channelId: string; segment: number }>`
    with wanted as (
      -- A mark in the only feed is one in the channel.
      select wanted.channel_id, wanted.segment, case when exists (
        select from message_feeds other where other.channel_id = wanted.channel_id and other.id <> wanted.message_feed_id
      ) then wanted.message_feed_id end as message_feed_id
      from ${unnestWanted(wanted)}
    )
    select member.channel_id, coalesce((
      select message.segment - 1 from messages message
      join message_feeds feed on feed.id = message.message_feed_id
      left join message_feed_marks mark on mark.message_feed_id = feed.id and mark.user_id = member.user_id
      left join wanted on wanted.message_feed_id = feed.id
      where message.channel_id = member.channel_id and message.segment > start.segment
        and message.creator_id <> member.user_id and not message.is_deleted and not feed.is_deleted
        and message.segment > greatest(mark.read_to_segment, wanted.segment, 0)
      order by message.segment limit 1
    ), channel.message_count) as segment
    from channel_members member
    join channels channel on channel.id = member.channel_id
    cross join lateral (
      select least(channel.message_count, greatest(member.read_to_segment, max(wanted.segment))) as segment
      from wanted where wanted.channel_id = member.channel_id and wanted.message_feed_id is null
    ) start
    where member.user_id = ${userId} and member.channel_id in (select channel_id from wanted)`.execute(db)
  return rows
}

/** A message that somebody has now read or received. */
export interface Receipt {
  id: string
  messageFeedId: string
  channelId: string
}

/**
 * Which messages of others these marks will make read or received that were not: the newest of each mark. Asked before
 * the marks are set.
 */
export async function findReceipts(
  db: Db,
  userId: string,
  wanted: WantedMark[],
  kind: 'read' | 'delivered',
  limit: number,
): Promise<Receipt[]> {
  const own = kind === 'read' ? sql`mark.read_to_segment` : sql`mark.delivered_to_segment`
  const { rows } = await sql<Receipt>`
    select distinct message.id, message.message_feed_id, message.channel_id, message.segment
    from ${unnestWanted(wanted)}
    join channel_members member on member.channel_id = wanted.channel_id and member.user_id = ${userId}
    left join message_feed_marks mark on mark.message_feed_id = wanted.message_feed_id and mark.user_id = member.user_id
    cross join lateral (
      select id, message_feed_id, channel_id, segment from messages
      where messages.channel_id = wanted.channel_id and segment > greatest(member.read_to_segment, ${own})
        and (wanted.message_feed_id is null or messages.message_feed_id = wanted.message_feed_id)
        and segment <= wanted.segment and creator_id <> ${userId} and not is_deleted
      order by segment desc limit ${limit}
    ) message
    order by message.segment desc`.execute(db)
  return rows
}

/** The last message of each feed, if it has any. */
export async function findLastMessages(db: Db, feedIds: string[]): Promise<Map<string, string>> {
  const { rows } = await sql<{ feedId: string; id: string }>`
    select feed_id, last.id from unnest(${feedIds}::text[]) feed_id cross join lateral (
      select id from messages where message_feed_id = feed_id and not is_deleted order by segment desc limit 1
    ) last`.execute(db)
  return new Map(rows.map((row) => [row.feedId, row.id]))
}

/** A mark in one feed. What is read is received too. */
export interface FeedMark {
  channelId: string
  messageFeedId: string
  readToSegment: number
  deliveredToSegment: number
}

/**
 * Moves marks of feeds up, as far as there are messages; those that the membership's mark includes are not kept.
 * Answers the feeds whose marks moved.
 */
export async function advanceFeedMarks(
  tx: Tx,
  userId: string,
  marks: FeedMark[],
  at: Date,
): Promise<string[]> {
  const { rows } = await sql<{ messageFeedId: string }>`
    insert into message_feed_marks as mark (message_feed_id, user_id, channel_id, read_to_segment,
      delivered_to_segment, created_at, updated_at)
    select wanted.message_feed_id, member.user_id, member.channel_id, to_mark.read_to,
      greatest(to_mark.read_to, to_mark.delivered_to), ${at}::timestamptz, ${at}::timestamptz
    from unnest(${marks.map((m) => m.channelId)}::text[], ${marks.map((m) => m.messageFeedId)}::text[],
      ${marks.map((m) => m.readToSegment)}::bigint[], ${marks.map((m) => m.deliveredToSegment)}::bigint[])
      as wanted (channel_id, message_feed_id, read_to, delivered_to)
    join channel_members member on member.channel_id = wanted.channel_id and member.user_id = ${userId}
    join channels channel on channel.id = wanted.channel_id
    cross join lateral (
      select least(wanted.read_to, channel.message_count) as read_to,
        least(wanted.delivered_to, channel.message_count) as delivered_to
    ) to_mark
    where greatest(to_mark.read_to, to_mark.delivered_to) > member.read_to_segment
    on conflict (message_feed_id, user_id) do update
    set read_to_segment = greatest(mark.read_to_segment, excluded.read_to_segment),
      delivered_to_segment = greatest(mark.delivered_to_segment, excluded.delivered_to_segment),
      updated_at = excluded.updated_at
    where excluded.read_to_segment > mark.read_to_segment
      or excluded.delivered_to_segment > mark.delivered_to_segment
    returning mark.message_feed_id`.execute(tx)
  return rows.map((row) => row.messageFeedId)
}

/** Says until when a user has feeds before their eyes. */
export async function upsertReading(
  tx: Tx,
  userId: string,
  feeds: { id: string; channelId: string }[],
  readingUntil: Date,
  at: Date,
): Promise<void> {
  await sql`
    insert into message_feed_marks (message_feed_id, user_id, channel_id, reading_until, created_at, updated_at)
    select id, ${userId}, channel_id, ${readingUntil}::timestamptz, ${at}::timestamptz, ${at}::timestamptz
    from unnest(${feeds.map((feed) => feed.id)}::text[], ${feeds.map((feed) => feed.channelId)}::text[])
      as feed (id, channel_id)
    on conflict (message_feed_id, user_id) do update set reading_until = excluded.reading_until`.execute(tx)
}

export async function endReading(tx: Tx, userId: string, messageFeedId: string): Promise<void> {
  await tx
    .updateTable('messageFeedMarks')
    .set({ readingUntil: null })
    .where('messageFeedId', '=', messageFeedId)
    .where('userId', '=', userId)
    .execute()
}

/** The feeds that a user has before their eyes and in which there is something they have not read. */
export async function findReading(
  db: Db,
  userId: string,
  at: Date,
): Promise<{ id: string; channelId: string }[]> {
  const { rows } = await sql<{ id: string; channelId: string }>`
    select mark.message_feed_id as id, mark.channel_id from message_feed_marks mark
    cross join lateral message_feeds_before(mark.user_id, mark.channel_id) feed
    where mark.user_id = ${userId} and mark.reading_until > ${at} and feed.message_feed_id = mark.message_feed_id
      and feed.unread_count > 0`.execute(db)
  return rows
}
