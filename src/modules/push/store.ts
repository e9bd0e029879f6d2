import { sql } from 'kysely'
import type { Db, Tx } from '../../kernel/database.ts'
import { anyOf } from '../../platform/database/any-of.ts'
import type { PushNotice } from './notice.ts'

/** Stores notices, each once however often its event is told. */
export async function insertNotices(tx: Tx, notices: PushNotice[]): Promise<void> {
  const rows = notices.map(({ audience, target, ...notice }) => ({
    id: notice.id,
    event_name: notice.eventName,
    actor_id: notice.actorId,
    audience_type: audience.type,
    audience_id: audience.type === 'users' ? null : audience.id,
    user_ids: audience.type === 'users' ? audience.userIds : [],
    without_user_ids: notice.withoutUserIds,
    target_type: target?.type ?? null,
    target_id: target?.id ?? null,
    setting_names: notice.settingNames,
    actor_roles: notice.actorRoles,
    object_id: notice.objectId,
    post_id: notice.postId,
    message_feed_id: notice.messageFeedId,
    segment: notice.segment,
    title: notice.title,
    body: notice.body,
    data: notice.data,
    collapse_key: notice.collapseKey,
    is_spread: false,
    created_at: notice.createdAt,
  }))
  await sql`
    insert into push_notices
    select * from json_populate_recordset(null::push_notices, ${JSON.stringify(rows)}::json)
    on conflict do nothing`.execute(tx)
}

/** Forgets what was to be pushed of things that are gone. Their rows stay, so that a repeat does not bring them back. */
export async function deleteNoticesOf(tx: Tx, objectIds: string[]): Promise<void> {
  const gone = await tx
    .updateTable('pushNotices')
    .set({ isSpread: true })
    .where('objectId', '=', anyOf(objectIds))
    .returning('id')
    .execute()
  // A statement of its own, so that it sees what a worker spread while the first one waited for it.
  await tx
    .deleteFrom('pushDeliveries')
    .where('noticeId', '=', anyOf(gone.map(({ id }) => id)))
    .execute()
}

/** Forgets some of what is too old to be pushed, or to be told again. */
export async function deleteNoticesBefore(db: Db, before: Date, limit: number): Promise<void> {
  await sql`
    delete from push_notices where id in (
      select id from push_notices where created_at < ${before} order by created_at limit ${limit})`.execute(
    db,
  )
}

/** A notice about to be spread. */
export interface WaitingNotice {
  id: string
  userIds: string[]
  postId: string | null
}

/** Takes some notices that wait, the oldest first; they are this transaction's until it ends. */
export async function takeWaiting(tx: Tx, limit: number): Promise<WaitingNotice[]> {
  const { rows } = await sql<WaitingNotice>`
    select id, user_ids, post_id from push_notices where not is_spread
    order by created_at limit ${limit} for update skip locked`.execute(tx)
  return rows
}

/**
 * Makes the deliveries of notices: one for each device whose owner is concerned and wants it, read from the devices,
 * so that whoever has none costs nothing. `hiddenFrom` are pairs of notice and user, who is not to hear of it.
 */
export async function spreadNotices(
  tx: Tx,
  { ids, hiddenFrom, vendors, firstAttemptAt }: Spreading,
): Promise<void> {
  await sql`
    insert into push_deliveries (notice_id, device_id, vendor, next_attempt_at)
    select notice.id, device.device_id, device.vendor, ${firstAttemptAt}
    from push_notices notice
    left join communities community on notice.target_type = 'community' and community.id = notice.target_id
    left join channels channel on notice.target_type = 'channel' and channel.id = notice.target_id
    cross join lateral (
      select device.* from devices device
      where notice.audience_type = 'users' and device.user_id = any (notice.user_ids)
      union all
      select device.* from devices device
      join community_members member on member.user_id = device.user_id
      where notice.audience_type = 'community' and member.community_id = notice.audience_id
        and member.membership = 'member'
      union all
      select device.* from devices device
      join channel_members member on member.user_id = device.user_id
      where notice.audience_type = 'channel' and member.channel_id = notice.audience_id
    ) device
    join users on users.id = device.user_id and not users.is_deleted and not users.is_global_ban
    left join channel_members in_channel
      on in_channel.channel_id = channel.id and in_channel.user_id = device.user_id
    left join notification_settings own
      on own.user_id = device.user_id and own.level = 'user' and own.target_id = ''
    left join notification_settings there
      on there.user_id = device.user_id and there.level = notice.target_type and there.target_id = notice.target_id
    where notice.id = any (${ids}) and not notice.is_spread
      and device.vendor = any (${vendors})
      and device.user_id is distinct from notice.actor_id
      and device.user_id <> all (notice.without_user_ids)
      and (notice.id, device.user_id) not in (
        select * from unnest(${hiddenFrom.map((pair) => pair.id)}::text[], ${hiddenFrom.map((pair) => pair.userId)}::text[]))
      -- Of a chat hear its members, unless they archived it.
      and (channel.id is null or (in_channel.membership = 'member' and in_channel.archived_at is null
        and not channel.is_closed and not channel.is_deleted))
      and not coalesce(community.is_deleted, false)
      and not exists (
        select from user_blocks block
        where (block.from_user_id = device.user_id and block.to_user_id = notice.actor_id)
          or (block.from_user_id = notice.actor_id and block.to_user_id = device.user_id))
      -- Signed out, and nobody signed in again as the same person: renewals end sessions too.
      and not exists (
        select from sessions session where session.id = device.session_id and session.revoked_at is not null
          and not exists (
            select from sessions newer where newer.device_id = session.device_id
              and newer.user_id = session.user_id and newer.revoked_at is null))
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
            where role = any (notice.actor_roles)))
    on conflict do nothing`.execute(tx)
  await tx.updateTable('pushNotices').set({ isSpread: true }).where('id', '=', anyOf(ids)).execute()
}

interface Spreading {
  ids: string[]
  hiddenFrom: { id: string; userId: string }[]
  vendors: string[]
  firstAttemptAt: Date
}
