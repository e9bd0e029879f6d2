import { sql } from 'kysely'
import type { Db } from '../../kernel/database.ts'

/** A delivery to be made now. */
export interface Claim {
  id: number
  attempts: number
  deviceId: string
  userId: string
  token: string
  title: string
  body: string
  data: Record<string, string>
  collapseKey: string
  createdAt: Date
  /** Of a message: its receiver has read it meanwhile. */
  isRead: boolean
}

/**
 * Claims deliveries of one service that are due, the longest due first. Until `leasedUntil` nobody else takes them;
 * after a crash somebody does.
 */
export async function claimDeliveries(
  db: Db,
  vendor: string,
  { at, leasedUntil, limit }: { at: Date; leasedUntil: Date; limit: number },
): Promise<Claim[]> {
  const { rows } = await sql<Claim>`
    with due as (
      select id from push_deliveries where vendor = ${vendor} and next_attempt_at <= ${at}
      order by next_attempt_at, id limit ${limit} for update skip locked
    ), claimed as (
      update push_deliveries delivery set attempts = attempts + 1, next_attempt_at = ${leasedUntil}
      from due where delivery.id = due.id
      returning delivery.id, delivery.attempts, delivery.notice_id, delivery.device_id
    )
    select claimed.id, claimed.attempts, claimed.device_id, device.user_id, device.token, notice.title, notice.body,
      notice.data, notice.collapse_key, notice.created_at,
      coalesce(greatest(member.read_to_segment, mark.read_to_segment) >= notice.segment, false) as is_read
    from claimed
    join push_notices notice on notice.id = claimed.notice_id
    join devices device on device.device_id = claimed.device_id
    left join channel_members member
      on notice.target_type = 'channel' and member.channel_id = notice.target_id and member.user_id = device.user_id
    left join message_feed_marks mark
      on mark.message_feed_id = notice.message_feed_id and mark.user_id = device.user_id
    order by claimed.id`.execute(db)
  return rows
}

export async function deleteDelivery(db: Db, id: number): Promise<void> {
  await db.deleteFrom('pushDeliveries').where('id', '=', id).execute()
}

export async function postponeDelivery(db: Db, id: number, nextAttemptAt: Date): Promise<void> {
  await db.updateTable('pushDeliveries').set({ nextAttemptAt }).where('id', '=', id).execute()
}
