import { sql, type RawBuilder } from 'kysely'

/**
 * Who wants to hear of a notice: the SQL of it, for queries over `notice` (a row of push_notices) with its `community`
 * and `channel`, where they are. `userId` is the person who is asked about.
 */
export function wish(userId: RawBuilder<unknown>): {
  joins: RawBuilder<unknown>
  isWanted: RawBuilder<unknown>
} {
  const joins = sql`
    join users on users.id = ${userId} and not users.is_deleted and not users.is_global_ban
    left join channel_members in_channel
      on in_channel.channel_id = channel.id and in_channel.user_id = ${userId}
    left join notification_settings own
      on own.user_id = ${userId} and own.level = 'user' and own.target_id = ''
    left join notification_settings there
      on there.user_id = ${userId} and there.level = notice.target_type and there.target_id = notice.target_id`
  const isWanted = sql`
      ${userId} is distinct from notice.actor_id
      and ${userId} <> all (notice.without_user_ids)
      -- Of a chat hear its members, unless they archived it.
      and (channel.id is null or (in_channel.membership = 'member' and in_channel.archived_at is null
        and not channel.is_closed and not channel.is_deleted))
      and not coalesce(community.is_deleted, false)
      and not exists (
        select from user_blocks block
        where (block.from_user_id = ${userId} and block.to_user_id = notice.actor_id)
          or (block.from_user_id = notice.actor_id and block.to_user_id = ${userId}))
      and coalesce(own.is_push_notifiable, true)
      and case coalesce(community.notification_mode, channel.notification_mode, 'default')
        when 'silent' then false
        when 'subscribe' then coalesce(there.is_push_notifiable, false)
        else coalesce(there.is_push_notifiable, true) end
      and not exists (
        select from unnest(notice.setting_names) as named (name)
        cross join lateral (values (own.events -> named.name), (there.events -> named.name)) said (setting)
        where said.setting ->> 'isPushNotifiable' = 'false'
          or (json_array_length(coalesce(said.setting -> 'listenFromRoleIds', '[]')) > 0 and not exists (
            select from json_array_elements_text(said.setting -> 'listenFromRoleIds') role
            where role = any (notice.actor_roles)))
          or exists (
            select from json_array_elements_text(coalesce(said.setting -> 'ignoreFromRoleIds', '[]')) role
            where role = any (notice.actor_roles)))`
  return { joins, isWanted }
}
