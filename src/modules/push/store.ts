import { sql } from 'kysely'
import type { Db, Tx } from '../../kernel/database.ts'
import { anyOf } from '../../platform/database/any-of.ts'
import type { PushNotice } from './notice.ts'
import { wish } from './wish-store.ts'

/** Stores notices, each once however often its event is told. */
export async function insertNotices(tx: Tx, notices: PushNotice[]): Promise<void> {
  await sql`
    insert into push_notices
    select * from json_populate_recordset(null::push_notices, ${JSON.stringify(notices.map(asRow))}::json)
    on conflict do nothing`.execute(tx)
}

/** A notice as a row of its table. */
export function asRow({ audience, target, ...notice }: PushNotice) {
  return {
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
  }
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
  const { joins, isWanted } = wish(sql`device.user_id`)
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
    ${joins}
    where notice.id = any (${ids}) and not notice.is_spread
      and device.vendor = any (${vendors})
      and (notice.id, device.user_id) not in (
        select * from unnest(${hiddenFrom.map((pair) => pair.id)}::text[], ${hiddenFrom.map((pair) => pair.userId)}::text[]))
      -- Signed out, and nobody signed in again as the same person: renewals end sessions too.
      and not exists (
        select from sessions session where session.id = device.session_id and session.revoked_at is not null
          and not exists (
            select from sessions newer where newer.device_id = session.device_id
              and newer.user_id = session.user_id and newer.revoked_at is null))
      and ${isWanted}
    on conflict do nothing`.execute(tx)
  await tx.updateTable('pushNotices').set({ isSpread: true }).where('id', '=', anyOf(ids)).execute()
}

interface Spreading {
  ids: string[]
  hiddenFrom: { id: string; userId: string }[]
  vendors: string[]
  firstAttemptAt: Date
}
