import { sql } from 'kysely'
import type { Db } from '../../kernel/database.ts'

/** Who made a channel or came into it. */
export interface Coming {
  channelPublicId: string
  channelType: string
  channelName: string | null
  publicId: string
  name: string
  /** In the network and in the channel. */
  roles: string[]
}

/** What is known of people who came into channels, by both ids. */
export async function findComings(
  db: Db,
  pairs: { channelId: string; actorId: string }[],
): Promise<Map<string, Coming>> {
  if (pairs.length === 0) return new Map()
  const { rows } = await sql<Coming & { channelId: string; userId: string }>`
    select distinct channel.id as channel_id, users.id as user_id, channel.channel_id as channel_public_id,
      channel.type as channel_type, channel.display_name as channel_name, users.user_id as public_id,
      coalesce(nullif(users.display_name, ''), users.user_id) as name,
      users.roles || coalesce(member.roles, '{}') as roles
    from unnest(${pairs.map((pair) => pair.channelId)}::text[], ${pairs.map((pair) => pair.actorId)}::text[])
      as asked (channel_id, user_id)
    join channels channel on channel.id = asked.channel_id
    join users on users.id = asked.user_id
    left join channel_members member on member.channel_id = channel.id and member.user_id = users.id`.execute(
    db,
  )
  return new Map(rows.map((row) => [`${row.channelId} ${row.userId}`, row]))
}

/** Who streams what, and where. */
export interface StreamFacts {
  id: string
  userId: string
  publicId: string
  name: string
  /** In the network and in the community. */
  roles: string[]
  title: string
  postId: string | null
  /** Null for a stream that is on the streamer's page, or nowhere. */
  communityId: string | null
}

/** Living streams. */
export async function findStreamFacts(db: Db, ids: string[]): Promise<Map<string, StreamFacts>> {
  if (ids.length === 0) return new Map()
  const { rows } = await sql<StreamFacts>`
    select stream.id, stream.user_id, users.user_id as public_id, stream.title, stream.post_id,
      coalesce(nullif(users.display_name, ''), users.user_id) as name,
      users.roles || coalesce(member.roles, '{}') as roles,
      case when stream.target_type = 'community' then stream.target_id end as community_id
    from video_streams stream
    join users on users.id = stream.user_id
    left join community_members member
      on stream.target_type = 'community' and member.community_id = stream.target_id and member.user_id = users.id
    where stream.id = any (${ids}) and not stream.is_deleted`.execute(db)
  return new Map(rows.map((row) => [row.id, row]))
}
