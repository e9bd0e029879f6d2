import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import { now } from '../../platform/clock.ts'
import type { Log } from '../../platform/log.ts'
import { inTransaction, onEventsCommitted, type Db } from '../database.ts'
import type { EventDefinition } from './event.ts'
import {
  deleteHandledBefore,
  findEventsAfter,
  findHandled,
  insertDeadLetter,
  sequenceEvents,
  updateHandled,
  type StoredEvent,
} from './store.ts'

/** An event on its way to the sinks. */
export interface DispatchedEvent extends StoredEvent {
  definition: EventDefinition
}

/**
 * A way out of the outbox. Takes events in commit order, at least once each. Whatever may be slow (an endpoint, a
 * push service) belongs into rows and jobs that the sink writes, never into `take` itself.
 */
export interface Sink {
  name: string
  take(events: DispatchedEvent[]): Promise<void>
}

export interface DispatcherOptions {
  db: Db
  definitions: ReadonlyMap<string, EventDefinition>
  sinks: Sink[]
  log: Log
  /** How long handled events are kept for clients that resume, in ms. */
  windowMs: number
  batchSize?: number
  /** How often to look without having been nudged, in ms: catches commits of other nodes. */
  pollMs?: number
  /**
   * How old an event must be before it goes out, in ms. The answer to the request that made it should be with its
   * sender first: a published client shows a message twice whose event overtakes the answer.
   */
  lingerMs?: number
  /** Resolves when the requests that this node has done are answered; asked before events go out, for the same reason. */
  answered?: () => Promise<void>
  /** Hears of commits of events on this node, which may not be the one that dispatches. */
  onCommitted?: () => void
}

export interface Dispatcher {
  /** Wakes it up: there may be new events. */
  nudge(): void
  /** Resolves when every event committed before the call has gone through the sinks. For tests and draining. */
  settled(): Promise<void>
  stop(): Promise<void>
}

// Any constant: the advisory lock that makes one node of a cluster the dispatcher.
const leaderLock = 4_102_003
const sweepMs = 60_000
// About half a minute: longer than an earlier server takes to stop.
const followerPolls = 30

/**
 * Starts the outbox dispatcher. Of all nodes on one database exactly one dispatches, the one that holds an advisory
 * lock on its connection; when it dies, PostgreSQL frees the lock and another takes over where `handled` stands.
 */
export function startDispatcher(options: DispatcherOptions): Dispatcher {
  const { db, log, batchSize = 500, pollMs = 1000, lingerMs = 20 } = options
  let stopping = false
  let wake: () => void = () => undefined
  let nudgedAt = -Infinity
  const nudge = () => {
    nudgedAt = performance.now()
    wake()
  }
  const sleep = async (ms: number) => {
    if (stopping) return
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms)
      wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }
  let nextSweep = 0

  async function lead(connection: Db): Promise<void> {
    let handled = await findHandled(connection)
    while (!stopping) {
      const missed = await findEventsAfter(connection, handled, batchSize)
      if (missed.length === 0) break
      handled = await dispatch(missed)
    }
    while (!stopping) {
      const lookedAt = performance.now()
      const events = await sequenceEvents(connection, batchSize, new Date(now().getTime() - lingerMs))
      if (events.length > 0) {
        await dispatch(events)
        continue
      }
      if (now().getTime() >= nextSweep) {
        nextSweep = now().getTime() + sweepMs
        await deleteHandledBefore(connection, new Date(now().getTime() - options.windowMs))
      }
      // A nudge younger than this was for an event too young for the look just taken: it is looked for again at once.
      const coveredUntil = lookedAt - lingerMs - 1
      if (nudgedAt < coveredUntil) await sleep(pollMs)
      if (!stopping) await delay(lingerMs)
    }
  }

  async function dispatch(stored: StoredEvent[]): Promise<number> {
    const events: DispatchedEvent[] = []
    for (const event of stored) {
      const definition = options.definitions.get(event.name)
      // A newer node's event that this one does not know: nothing here can tell it.
      if (definition) events.push({ ...event, definition })
      else log.warn({ event: event.name }, 'unknown event in the outbox')
    }
    await options.answered?.()
    for (const sink of options.sinks) await give(sink, events)
    const last = stored.at(-1)!.position
    await inTransaction(db, async (tx) => {
      // Losing this in a crash only repeats the batch, and consumers can drop repeats by event id.
      await sql`set local synchronous_commit = off`.execute(tx)
      await updateHandled(tx, last)
    })
    return last
  }

  async function give(sink: Sink, events: DispatchedEvent[]): Promise<void> {
    try {
      await sink.take(events)
    } catch (error) {
      await sql`select 1`.execute(db) // The database itself is away: retry the whole batch later.
      if (events.length === 1) return bury(sink, events[0]!, error)
      log.warn({ err: error, sink: sink.name }, 'sink failed on a batch, taking its events one by one')
      for (const event of events) await give(sink, [event])
    }
  }

  async function bury(sink: Sink, event: DispatchedEvent, error: unknown): Promise<void> {
    log.error({ err: error, sink: sink.name, event: event.name, eventId: event.id }, 'event undeliverable')
    const { id, position, name } = event
    const reason = error instanceof Error ? error.message : String(error)
    await inTransaction(db, (tx) =>
      insertDeadLetter(tx, {
        id,
        sink: sink.name,
        position,
        name,
        error: reason.slice(0, 2000),
        failedAt: now(),
      }),
    )
  }

  async function run(): Promise<void> {
    let refusals = 0
    while (!stopping) {
      try {
        await db.connection().execute(async (connection) => {
          const lock = await sql<{
            held: boolean
          }>`select pg_try_advisory_lock(${leaderLock}) as held`.execute(connection)
          if (!lock.rows[0]?.held) {
            if (++refusals === followerPolls && !options.onCommitted)
              log.warn(
                'another server dispatches events, and without NATS_URL clients of this one hear nothing live',
              )
            return
          }
          refusals = 0
          try {
            await lead(connection)
          } finally {
            await sql`select pg_advisory_unlock(${leaderLock})`.execute(connection)
          }
        })
      } catch (error) {
        if (!stopping) log.error({ err: error }, 'outbox dispatcher stopped, starting again')
      }
      await sleep(pollMs)
    }
  }

  onEventsCommitted(db, () => {
    nudge()
    options.onCommitted?.()
  })
  const running = run()
  return {
    nudge,
    async settled() {
      const { rows } = await sql<{ seq: number | null }>`select max(seq) as seq from outbox_events`.execute(
        db,
      )
      const seq = rows[0]?.seq
      while (!stopping && seq != null) {
        nudge()
        const pending = await sql<{ n: number }>`
          select count(*) as n from outbox_events e, outbox_head h
          where e.seq <= ${seq} and (e.position is null or e.position > h.handled)`.execute(db)
        if (pending.rows[0]?.n === 0) return
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
    },
    async stop() {
      stopping = true
      nudge()
      await running
    },
  }
}
