import { sql } from 'kysely'
import type { Db, Tx } from '../../kernel/database.ts'
import type { WebhookMessage } from './messages.ts'

/** A delivery that a sender has claimed, with what is to be sent. */
export interface Claimed {
  seq: number
  webhookId: string
  messageId: string
  streamKey: string
  name: string
  body: string
  /** Attempts made before. */
  attempts: number
  firstFailedAt: Date | null
}

/** What became of an attempt. */
export interface Attempt {
  at: string
  status: number | null
  error: string | null
  durationMs: number
  responseBody: string | null
}

export interface Finished {
  seq: number
  state: 'pending' | 'delivered' | 'dead'
  attempts: number
  dueAt: Date
  firstFailedAt: Date | null
  finishedAt: Date | null
  attempt: Attempt
}

/**
 * Lets the statement commit without waiting for the disk. What a crash of the database loses of it is only that
 * something was claimed or sent: it is sent once more, as it may be at any time.
 */
const hastily = sql`(select set_config('synchronous_commit', 'off', true)) hastily`

/** How many attempts the log of a delivery keeps. */
const keptAttempts = 20

export async function insertMessages(tx: Tx, messages: WebhookMessage[], at: Date): Promise<void> {
  // A crash that loses this loses as well that the events were handled: they come again.
  await sql`set local synchronous_commit = off`.execute(tx)
  const rows = messages.map(({ id, name, body }) => ({ id, name, body }))
  await sql`
    insert into webhook_messages (id, name, body, created_at)
    select id, name, body, ${at}::timestamptz
    from json_to_recordset(${JSON.stringify(rows)}::json) as new (id text, name text, body text)
    on conflict (id) do nothing`.execute(tx)
}

export async function insertDeliveries(
  tx: Tx,
  deliveries: { webhookId: string; messageId: string; streamKey: string }[],
  at: Date,
): Promise<void> {
  const rows = deliveries.map(({ webhookId, messageId, streamKey }, n) => ({
    n,
    webhook_id: webhookId,
    message_id: messageId,
    stream_key: streamKey,
  }))
  await sql`
    insert into webhook_deliveries (webhook_id, message_id, stream_key, due_at, created_at)
    select webhook_id, message_id, stream_key, ${at}::timestamptz, ${at}::timestamptz
    from json_to_recordset(${JSON.stringify(rows)}::json)
      as new (n int, webhook_id text, message_id text, stream_key text)
    order by n
    on conflict on constraint webhook_deliveries_message do nothing`.execute(tx)
}

/** Which of these endpoints have something that is due. */
export async function findDueEndpoints(db: Db, webhookIds: string[], at: Date): Promise<string[]> {
  const { rows } = await sql<{ webhookId: string }>`
    select webhook_id from unnest(${webhookIds}::text[]) webhook_id
    where exists (
      select from webhook_deliveries d
      where d.webhook_id = webhook_id.webhook_id and d.state = 'pending' and d.due_at <= ${at})`.execute(db)
  return rows.map((row) => row.webhookId)
}

export interface ClaimOptions {
  senderId: string
  webhookId: string
  at: Date
  /** Until when a failure must have been the first for later ones of the same object to wait no longer. */
  patientUntil: Date
  limit: number
}

// Of what is due so many are looked at; those that wait for an earlier one of their object are passed over.
const lookedAt = 1000

/**
 * Claims what is due for an endpoint and waits for nothing, oldest first. Claims of senders that are not alive do not
 * count. Others that claim at the same moment get other rows. What waits for something that failed is not looked at
 * again before that is tried again.
 */
export async function claimDeliveries(
  db: Db,
  { senderId, webhookId, at, patientUntil, limit }: ClaimOptions,
): Promise<Claimed[]> {
  const { rows } = await sql<Claimed>`
    with alive as materialized (
      select id from webhook_senders where alive_until > now()
    ), free as materialized (
      select due.seq from (
        select d.seq, d.due_at, d.stream_key from webhook_deliveries d
        where d.webhook_id = ${webhookId} and d.state = 'pending' and d.due_at <= ${at}
          and (d.claimed_by is null or d.claimed_by not in (select id from alive))
        order by d.due_at, d.seq limit ${lookedAt}
      ) due left join lateral (
        select earlier.seq from webhook_deliveries earlier
        where earlier.webhook_id = ${webhookId} and earlier.state = 'pending'
          and earlier.stream_key = due.stream_key and earlier.seq < due.seq
          and (earlier.first_failed_at is null or earlier.first_failed_at > ${patientUntil}
            or earlier.claimed_by in (select id from alive))
        order by earlier.seq desc limit 1
      ) blocker on true
      where blocker.seq is null
      order by due.due_at, due.seq limit ${limit}
    ), locked as (
      select d.seq from webhook_deliveries d
      where d.seq in (select seq from free) and d.state = 'pending'
        and (d.claimed_by is null or d.claimed_by not in (select id from alive))
      for update skip locked
    ), claimed as (
      update webhook_deliveries d set claimed_by = ${senderId} from locked, ${hastily}
      where d.seq = locked.seq
      returning d.seq, d.webhook_id, d.message_id, d.stream_key, d.attempts, d.first_failed_at
    ), blocked as materialized (
      select due.seq, failed.until from (
        select d.seq, d.stream_key from webhook_deliveries d
        where d.webhook_id = ${webhookId} and d.state = 'pending' and d.due_at <= ${at} and d.claimed_by is null
          and (select count(*) from free) < ${limit}
        order by d.due_at, d.seq limit ${lookedAt}
      ) due cross join lateral (
        select least(due_at, first_failed_at + (${at}::timestamptz - ${patientUntil}::timestamptz)) as until
        from webhook_deliveries earlier
        where earlier.webhook_id = ${webhookId} and earlier.state = 'pending'
          and earlier.stream_key = due.stream_key and earlier.seq < due.seq and earlier.claimed_by is null
          and earlier.first_failed_at > ${patientUntil} and earlier.due_at > ${at}
        order by earlier.seq desc limit 1
      ) failed
    ), skippable as (
      select d.seq from webhook_deliveries d where d.seq in (select seq from blocked) for update skip locked
    ), postponed as (
      update webhook_deliveries d set due_at = blocked.until from skippable, blocked
      where d.seq = skippable.seq and blocked.seq = skippable.seq
    )
    select claimed.*, message.name, message.body
    from claimed join webhook_messages message on message.id = claimed.message_id
    order by claimed.seq`.execute(db)
  return rows
}

/** Writes down how attempts went and lets go of them. */
export async function finishDeliveries(db: Db, senderId: string, finished: Finished[]): Promise<void> {
  const rows = finished.map((one) => ({
    seq: one.seq,
    state: one.state,
    attempts: one.attempts,
    due_at: one.dueAt,
    first_failed_at: one.firstFailedAt,
    finished_at: one.finishedAt,
    attempt: one.attempt,
  }))
  await sql`
    update webhook_deliveries d
    set state = done.state, attempts = done.attempts, due_at = done.due_at, first_failed_at = done.first_failed_at,
      finished_at = done.finished_at, claimed_by = null,
      attempt_log = case when jsonb_array_length(d.attempt_log) < ${keptAttempts}
        then d.attempt_log else d.attempt_log - 0 end || done.attempt
    from ${hastily}, json_to_recordset(${JSON.stringify(rows)}::json) as done (
      seq bigint, state text, attempts int, due_at timestamptz, first_failed_at timestamptz, finished_at timestamptz,
      attempt jsonb)
    where d.seq = done.seq and d.claimed_by = ${senderId}`.execute(db)
}

/** The next of an object goes out as soon as what it waited for is done with. */
export async function wakeFollowers(db: Db, done: StreamPoint[]): Promise<void> {
  await sql`
    update webhook_deliveries d set due_at = done.due_at
    from json_to_recordset(${toRows(done)}::json)
      as done (webhook_id text, stream_key text, seq bigint, due_at timestamptz)
    where d.webhook_id = done.webhook_id and d.stream_key = done.stream_key and d.seq > done.seq
      and d.state = 'pending' and d.attempts = 0 and d.claimed_by is null and d.due_at > done.due_at`.execute(
    db,
  )
}

/** A place in the events of an object, and when those after it are due. */
export interface StreamPoint {
  webhookId: string
  streamKey: string
  seq: number
  dueAt: Date
}

function toRows(points: StreamPoint[]): string {
  return JSON.stringify(
    points.map(({ webhookId, streamKey, seq, dueAt }) => ({
      webhook_id: webhookId,
      stream_key: streamKey,
      seq,
      due_at: dueAt,
    })),
  )
}

/** Lets go of all claims but these: of some, the answer may have been lost on the way. */
export async function releaseOtherDeliveries(db: Db, senderId: string, held: number[]): Promise<void> {
  await sql`
    update webhook_deliveries set claimed_by = null
    where state = 'pending' and claimed_by = ${senderId} and seq <> all(${held}::bigint[])`.execute(db)
}

/** Lets go of claims that were not tried. */
export async function releaseDeliveries(db: Db, senderId: string, seqs: number[]): Promise<void> {
  await sql`
    update webhook_deliveries set claimed_by = null
    where seq = any(${seqs}::bigint[]) and claimed_by = ${senderId}`.execute(db)
}

/** Says that a sender is alive for so long; those that have not said so for a minute are forgotten. */
export async function keepSenderAlive(db: Db, senderId: string, ms: number): Promise<void> {
  await sql`
    insert into webhook_senders (id, alive_until) values (${senderId}, now() + ${ms}::int * interval '1 ms')
    on conflict (id) do update set alive_until = excluded.alive_until`.execute(db)
  await sql`delete from webhook_senders where alive_until < now() - interval '1 minute'`.execute(db)
}

export async function deleteSender(db: Db, senderId: string): Promise<void> {
  await db.deleteFrom('webhookSenders').where('id', '=', senderId).execute()
}

/** Removes the claims of an endpoint that is no more. */
export async function deleteDeliveriesOf(db: Db, webhookId: string): Promise<void> {
  await db.deleteFrom('webhookDeliveries').where('webhookId', '=', webhookId).execute()
}

/** Deletes, a part at a time, what is older than it is kept. Answers whether there may be more. */
export async function deleteOldDeliveries(
  db: Db,
  { deliveredBefore, anyBefore }: { deliveredBefore: Date; anyBefore: Date },
  limit: number,
): Promise<boolean> {
  const { numAffectedRows: deliveries = 0n } = await sql`
    delete from webhook_deliveries where seq in (
      select seq from webhook_deliveries
      where (state = 'delivered' and created_at < ${deliveredBefore}) or created_at < ${anyBefore}
      order by created_at limit ${limit} for update skip locked)`.execute(db)
  const { numAffectedRows: messages = 0n } = await sql`
    delete from webhook_messages where id in (
      select id from webhook_messages message
      where created_at < ${deliveredBefore}
        and not exists (select from webhook_deliveries where message_id = message.id)
      order by created_at limit ${limit} for update skip locked)`.execute(db)
  return Number(deliveries) === limit || Number(messages) === limit
}
