import { sql } from 'kysely'
import type { Db } from '../../kernel/database.ts'

export interface MarkedMessageRow {
  id: string
  /** The id shown. */
  publicId: string
  channelId: string
  messageFeedId: string
  creatorId: string
  segment: number
  /** Of the channel. */
  memberCount: number
  createdAt: Date
  updatedAt: Date
}

export async function findMarkedMessages(db: Db, ids: string[]): Promise<MarkedMessageRow[]> {
  const { rows } = await sql<MarkedMessageRow>`
    select message.id, coalesce(message.message_id, message.id) as public_id, message.channel_id,
      message.message_feed_id, message.creator_id, message.segment, channel.member_count, message.created_at,
      message.updated_at
    from messages message join channels channel on channel.id = message.channel_id
    where message.id = any (${ids})`.execute(db)
  return rows
}

/**
 * So many members of a channel have come after the first `joined` of the segments asked about, have read the first
 * `read` of them and received the first `received`.
 */
export interface ReachRow {
  joined: number
  read: number
  received: number
  members: number
}

/** How far the members of a channel have come in a feed, measured by ascending segments: each member is looked at once. */
export async function findReaches(
  db: Db,
  place: { channelId: string; messageFeedId: string },
  segments: number[],
): Promise<ReachRow[]> {
  const asked = sql`${segments}::bigint[]`
  const first = segments[0] ?? 0
  const { rows } = await sql<ReachRow>`
    select width_bucket(joined_at_segment, ${asked}) as joined, width_bucket(read_to, ${asked}) as read,
      width_bucket(received_to, ${asked}) as received, count(*) as members
    from (
      select member.joined_at_segment, greatest(member.read_to_segment, mark.read_to_segment) as read_to,
        greatest(member.read_to_segment, mark.delivered_to_segment) as received_to
      from channel_members member
      left join message_feed_marks mark
        on mark.user_id = member.user_id and mark.message_feed_id = ${place.messageFeedId}
      where member.channel_id = ${place.channelId} and member.membership = 'member'
        and member.read_to_segment >= ${first}
      union all
      select member.joined_at_segment, mark.read_to_segment, mark.delivered_to_segment
      from message_feed_marks mark
      join channel_members member on member.channel_id = mark.channel_id and member.user_id = mark.user_id
      where mark.message_feed_id = ${place.messageFeedId} and mark.delivered_to_segment >= ${first}
        and member.membership = 'member' and member.read_to_segment < ${first}
    ) reach
    group by 1, 2, 3`.execute(db)
  return rows
}

export interface OwnReachRow {
  id: string
  hasRead: boolean
  hasReceived: boolean
}

/** Which messages their own authors would be counted for, as they have read or received them. */
export async function findOwnReaches(db: Db, ids: string[]): Promise<OwnReachRow[]> {
  const { rows } = await sql<OwnReachRow>`
    select message.id, greatest(member.read_to_segment, mark.read_to_segment) >= message.segment as has_read,
      greatest(member.read_to_segment, mark.delivered_to_segment) >= message.segment as has_received
    from messages message
    join channel_members member on member.channel_id = message.channel_id and member.user_id = message.creator_id
    left join message_feed_marks mark
      on mark.user_id = member.user_id and mark.message_feed_id = message.message_feed_id
    where message.id = any (${ids}) and member.membership = 'member'
      and member.joined_at_segment < message.segment`.execute(db)
  return rows
}
