import { sql, type Insertable } from 'kysely'
import type { DB } from '../../../db/tables.ts'
import type { Db, Tx } from '../database.ts'

/** An event as the dispatcher reads it, in commit order. */
export interface StoredEvent {
  position: number
  id: string
  name: string
  audiences: string[]
  actorId: string | null
  subject: unknown
  createdAt: Date
}

/** An event as it is written: everything but its position. */
export type NewEvent = Omit<StoredEvent, 'position'>

/** Inserts any number of events, in order, with one statement whose text is always the same. */
export async function insertEvents(tx: Tx, events: NewEvent[]): Promise<void> {
  const rows = events.map(({ id, name, audiences, actorId, subject, createdAt }) => ({
    id,
    name,
    audiences,
    actor_id: actorId,
    subject,
    created_at: createdAt,
  }))
  await sql`
    insert into outbox_events (id, name, audiences, actor_id, subject, created_at)
    select id, name, audiences, actor_id, subject, created_at
    from json_populate_recordset(null::outbox_events, ${JSON.stringify(rows)}::json)`.execute(tx)
}

/**
 * Gives the next positions to events whose transactions have committed and answers them in order, up to the first
 * that is younger than `until`. Only the dispatcher that holds the leader lock may call it.
 */
export async function sequenceEvents(db: Db, limit: number, until: Date): Promise<StoredEvent[]> {
  // Times far ahead come from a clock that was set back since; waiting for them would stop everything.
  const ahead = new Date(until.getTime() + 2000)
  const { rows } = await sql<StoredEvent>`
    with unsequenced as (
      select seq, created_at from outbox_events where position is null order by seq limit ${limit}
    ), batch as (
      select seq, row_number() over (order by seq) as n
      from (
        select seq, bool_and(created_at <= ${until} or created_at > ${ahead}) over (order by seq) as ripe
        from unsequenced
      ) judged where ripe
    ), head as (
      update outbox_head set position = position + (select count(*) from batch)
      where exists (select from batch)
      returning position - (select count(*) from batch) as base
    ), sequenced as (
      update outbox_events e set position = head.base + batch.n from batch, head
      where e.position is null and e.seq = batch.seq
      returning e.position, e.id, e.name, e.audiences, e.actor_id, e.subject, e.created_at
    )
    select * from sequenced order by position`.execute(db)
  return rows
}

/** Events after a position, in order: what a dispatcher takes up after a crash, and what a client resumes from. */
export async function findEventsAfter(db: Db, position: number, limit: number): Promise<StoredEvent[]> {
  const { rows } = await sql<StoredEvent>`
    select position, id, name, audiences, actor_id, subject, created_at from outbox_events
    where position > ${position} order by position limit ${limit}`.execute(db)
  return rows
}

/** The oldest and newest positions still kept; both 0 when none are. */
export async function findWindow(db: Db): Promise<{ first: number; last: number }> {
  const { rows } = await sql<{ first: number; last: number }>`
    select coalesce((select min(position) from outbox_events where position is not null), head.position + 1) as first,
      head.position as last
    from outbox_head head`.execute(db)
  return rows[0] ?? { first: 1, last: 0 }
}

export async function findHandled(db: Db): Promise<number> {
  const row = await db.selectFrom('outboxHead').select('handled').executeTakeFirstOrThrow()
  return row.handled
}

export async function updateHandled(tx: Tx, position: number): Promise<void> {
  await tx.updateTable('outboxHead').set({ handled: position }).where('handled', '<', position).execute()
}

/** Deletes handled events older than the window. Answers how many. */
export async function deleteHandledBefore(db: Db, createdBefore: Date): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from outbox_events where position <= (select handled from outbox_head) and created_at < ${createdBefore}
  `.execute(db)
  return Number(numAffectedRows ?? 0)
}

export async function insertDeadLetter(tx: Tx, letter: Insertable<DB['outboxDeadLetters']>): Promise<void> {
  await tx
    .insertInto('outboxDeadLetters')
    .values(letter)
    .onConflict((c) => c.doNothing())
    .execute()
}

/** How much the dispatcher has before it, up to a limit, and since when the oldest of it waits. */
export async function findBacklog(db: Db, limit: number): Promise<{ waiting: number; since: Date | null }> {
  const { rows } = await sql<{ waiting: number; since: Date | null }>`
    select count(*) as waiting, min(created_at) as since from (
      (select created_at from outbox_events where position > (select handled from outbox_head)
        order by position limit ${limit})
      union all
      (select created_at from outbox_events where position is null order by seq limit ${limit})
    ) waiting`.execute(db)
  return rows[0]!
}

/** How many events some sink could not take, up to a limit. */
export async function countDeadLetters(db: Db, limit: number): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*) as n from (select from outbox_dead_letters limit ${limit}) letters`.execute(db)
  return rows[0]!.n
}
