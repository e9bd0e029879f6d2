import { sql } from 'kysely'
import type { Db, Tx } from '../../../kernel/database.ts'

/** Moves read marks up; they never fall. Answers the pairs whose mark moved. */
export async function advanceReadMarks(
  tx: Tx,
  marks: { channelId: string; userId: string; segment: number }[],
  at: Date,
): Promise<{ channelId: string; userId: string }[]> {
  const { rows } = await sql<{ channelId: string; userId: string }>`
    update channel_members member set read_to_segment = least(mark.segment, channel.message_count),
      last_activity = ${at}
    from unnest(${marks.map((m) => m.channelId)}::text[], ${marks.map((m) => m.userId)}::text[],
      ${marks.map((m) => m.segment)}::bigint[]) as mark (channel_id, user_id, segment)
    join channels channel on channel.id = mark.channel_id
    where member.channel_id = mark.channel_id and member.user_id = mark.user_id
      and member.read_to_segment < least(mark.segment, channel.message_count)
    returning member.channel_id, member.user_id`.execute(tx)
  return rows
}

/** Marks that messages mentioned members; marks only move up. */
export async function markMentioned(
  tx: Tx,
  mentions: { channelId: string; userId: string; segment: number }[],
): Promise<void> {
  await sql`
    update channel_members member set last_mentioned_segment = greatest(member.last_mentioned_segment, m.segment)
    from (
      select channel_id, user_id, max(segment) as segment
      from unnest(${mentions.map((m) => m.channelId)}::text[], ${mentions.map((m) => m.userId)}::text[],
        ${mentions.map((m) => m.segment)}::bigint[]) as mention (channel_id, user_id, segment)
      group by channel_id, user_id
    ) m
    where member.channel_id = m.channel_id and member.user_id = m.user_id`.execute(tx)
}

export interface Unread {
  channelId: string
  messageCount: number
  unreadCount: number
  /** The last unread message that mentions the user, 0 if none does. */
  mentionSegment: number
}

/** What a user has before them in channels they are a member of. Live chats are watched, not caught up with. */
export async function findUnread(db: Db, userId: string, channelIds: string[]): Promise<Unread[]> {
  const { rows } = await sql<Unread>`
    select channel.id as channel_id, channel.message_count, sum(feed.unread_count)::bigint as unread_count,
      max(feed.mention_segment) as mention_segment
    from channels channel cross join lateral message_feeds_before(${userId}, channel.id) feed
    where channel.id = any (${channelIds}) and channel.type <> 'live'
    group by channel.id`.execute(db)
  return rows
}
