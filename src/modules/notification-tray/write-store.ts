import { sql } from 'kysely'
import type { Db, Tx } from '../../kernel/database.ts'
import { newId } from '../../platform/ids.ts'
import type { Notice } from '../notices/index.ts'

/**
 * Gathers notices into items with one statement. Repeating it changes nothing: an act is in an item once, and of
 * mentions, which edits repeat, the time of the first stays.
 */
export async function gatherNotices(tx: Tx, notices: Notice[]): Promise<void> {
  const given = notices.map((notice) => ({
    id: newId(),
    audience_type: notice.audience.type,
    audience_id: notice.audience.id,
    kind: notice.kind,
    subject_id: notice.subjectId,
    day: notice.day.toISOString().slice(0, 10),
    target_type: notice.target.type,
    target_id: notice.target.id,
    reference_type: notice.reference?.type ?? null,
    reference_id: notice.reference?.id ?? null,
    action_reference_id: notice.actionReferenceId,
    parent_id: notice.parentId,
    root_id: notice.rootId,
    object_type: notice.act.type,
    object_id: notice.act.id,
    actor_id: notice.actorId,
    acted_at: notice.occurredAt,
  }))
  await sql`
    with given as (
      select * from json_to_recordset(${JSON.stringify(given)}::json) as notice (
        id text, audience_type text, audience_id text, kind text, subject_id text, day date, target_type text,
        target_id text, reference_type text, reference_id text, action_reference_id text, parent_id text, root_id text,
        object_type text, object_id text, actor_id text, acted_at timestamptz)
    ), items as (
      insert into notification_tray_items as item (id, audience_type, audience_id, kind, subject_id, day, target_type,
        target_id, reference_type, reference_id, action_reference_id, parent_id, root_id, last_occurred_at)
      select distinct on (audience_type, audience_id, kind, subject_id, day) id, audience_type, audience_id, kind,
        subject_id, day, target_type, target_id, reference_type, reference_id, action_reference_id, parent_id, root_id,
        acted_at
      from given order by audience_type, audience_id, kind, subject_id, day, acted_at desc
      on conflict on constraint notification_tray_items_gathered do update set last_occurred_at = case
        when item.kind like 'mention%' then item.last_occurred_at
        else greatest(item.last_occurred_at, excluded.last_occurred_at) end
      returning id, audience_type, audience_id, kind, subject_id, day
    )
    insert into notification_tray_acts (item_id, object_type, object_id, actor_id, acted_at)
    select items.id, given.object_type, given.object_id, given.actor_id, given.acted_at
    from given join items using (audience_type, audience_id, kind, subject_id, day)
    on conflict do nothing`.execute(tx)
}

/** Deletes some of the items in which nothing happened since; answers how many. */
export async function deleteItemsBefore(db: Db, before: Date, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from notification_tray_items where id in (
      select id from notification_tray_items where last_occurred_at < ${before}
      order by last_occurred_at limit ${limit})`.execute(db)
  return Number(numAffectedRows ?? 0)
}

export interface SeenMark {
  id: string
  lastSeenAt: Date
}

/** Moves the seen times of those of these items that are for the user forward, never back; answers where they stand. */
export async function raiseItemsSeen(tx: Tx, userId: string, marks: SeenMark[]): Promise<SeenMark[]> {
  const { rows } = await sql<SeenMark>`
    insert into notification_tray_item_seen as seen (user_id, item_id, last_seen_at)
    select ${userId}, item.id, max(mark.last_seen_at)
    from json_to_recordset(${JSON.stringify(marks.map(({ id, lastSeenAt }) => ({ id, last_seen_at: lastSeenAt })))}::json)
      as mark (id text, last_seen_at timestamptz)
    join notification_tray_items item on item.id = mark.id
    where case item.audience_type when 'user' then item.audience_id = ${userId}
      else exists (select from community_members member where member.community_id = item.audience_id
        and member.user_id = ${userId} and member.membership = 'member') end
    group by item.id order by item.id
    on conflict (user_id, item_id) do update
      set last_seen_at = greatest(seen.last_seen_at, excluded.last_seen_at)
    returning item_id as id, last_seen_at`.execute(tx)
  return rows
}
