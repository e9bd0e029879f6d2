import { sql, type RawBuilder } from 'kysely'

/** Where something live is shown, and the chat beside it; for streams and for rooms. */
export interface LivePlace {
  postId: string | null
  childPostId: string | null
  targetType: string | null
  /** Internal id. */
  targetId: string | null
  targetPublicId: string | null
  /** Of the community it is posted in; null elsewhere. */
  isCommunityOpen: boolean | null
  /** The live channel, by internal and by public id. */
  channelInternalId: string | null
  channelId: string | null
}

/** Columns of `LivePlace` that are no columns of a table aliased `live`; they need `placeJoins`. */
export const placeColumns = sql`
  case live.target_type when 'user' then target_user.user_id else live.target_id end as target_public_id,
  community.is_public and not community.is_deleted as is_community_open,
  channel.id as channel_internal_id, channel.channel_id`

/** Joins the target and the live channel to a table aliased `live`, which the channel names by `column`. */
export function placeJoins(column: 'video_stream_id' | 'room_id'): RawBuilder<unknown> {
  return sql`
    left join users target_user on live.target_type = 'user' and target_user.id = live.target_id
    left join communities community on live.target_type = 'community' and community.id = live.target_id
    left join lateral (
      select id, channel_id from channels
      where ${sql.ref(column)} = live.id and not is_deleted order by created_at, id limit 1
    ) channel on true`
}
