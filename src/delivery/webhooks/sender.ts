import { setTimeout as delay } from 'node:timers/promises'
import { elapsed, now } from '../../platform/clock.ts'
import { chance, newId } from '../../platform/ids.ts'
import type { Log } from '../../platform/log.ts'
import { inTransaction, type Db } from '../../kernel/database.ts'
import { afterAttempt, attemptDelivery, type Outcome } from './attempt.ts'
import type { Endpoints } from './endpoint.ts'
import { drainLane, openLane, type Lane } from './lane.ts'
import type { PostWebhook } from './post.ts'
import { patienceMs } from './schedule.ts'
import { sweepDeliveries } from './sweep.ts'
import {
  claimDeliveries,
  deleteSender,
  findDueEndpoints,
  finishDeliveries,
  keepSenderAlive,
  releaseDeliveries,
  releaseOtherDeliveries,
  wakeFollowers,
  type Claimed,
  type Finished,
} from './store.ts'

export interface SenderOptions {
  db: Db
  endpoints: Endpoints
  post: PostWebhook
  log: Log
  retrySeconds: readonly number[]
  timeoutMs: number
  /** How long delivered ones stay in the log. */
  keepDeliveredMs: number
  pollMs?: number
}

export interface WebhookSender {
  /** Wakes it up: there may be something to send. */
  nudge(): void
  /** Claims nothing more, waits for what is being sent, lets go of the rest. `cut` ends requests under way. */
  stop(cut: () => Promise<void>): Promise<void>
}

// Per endpoint: requests at once, and deliveries in memory.
const concurrent = 16
const maxHeld = 96
/** After so long without a sign of life, claims are free for others. */
const aliveMs = 10_000
const heartbeatMs = 3000
const longestRestMs = 600_000
const sweepMs = 60_000

/**
 * Sends what the sink has written. Any number of processes may run one on the same database: each claims rows, and
 * those of a process that has died become free within seconds.
 */
export function startWebhookSender(options: SenderOptions): WebhookSender {
  const { db, endpoints, log, pollMs = 1000 } = options
  const senderId = newId()
  const lanes = new Map<string, Lane>()
  const held = new Set<number>()
  const results: { lane: Lane; claimed: Claimed; finished: Finished }[] = []
  let aliveUntil = -Infinity
  let stopping = false
  // Whether there may be claims in the database that are not held here.
  let lost = false
  let flushing: Promise<void> | null = null
  const attempts = new Set<Promise<void>>()
  const fillings = new Set<Promise<void>>()
  const bell = createBell()

  const pulse = async () => {
    await keepSenderAlive(db, senderId, aliveMs)
    aliveUntil = elapsed() + aliveMs
  }
  const heartbeat = setInterval(() => {
    if (held.size > 0)
      pulse().catch((error: unknown) => log.warn({ err: error }, 'webhook sender: no sign of life'))
  }, heartbeatMs)

  function syncLanes(enabled: Awaited<ReturnType<Endpoints['list']>>): void {
    const ids = new Set(enabled.map(({ id }) => id))
    for (const [id, lane] of lanes) if (!ids.has(id)) close(lane)
    for (const endpoint of enabled) {
      const lane = lanes.get(endpoint.id)
      if (lane) lane.endpoint = endpoint
      else lanes.set(endpoint.id, openLane(endpoint))
    }
  }

  function close(lane: Lane): void {
    lane.closed = true
    lanes.delete(lane.endpoint.id)
    letGo(lane)
  }

  function letGo(lane: Lane): void {
    const seqs = drainLane(lane).map(({ seq }) => seq)
    release(seqs)
  }

  function release(seqs: number[]): void {
    if (seqs.length === 0) return
    const letting = releaseDeliveries(db, senderId, seqs)
      .catch((error: unknown) => log.warn({ err: error }, 'webhook claims not released'))
      .finally(() => seqs.forEach((seq) => held.delete(seq)))
    attempts.add(letting)
    void letting.finally(() => attempts.delete(letting))
  }

  const hasRoom = (lane: Lane) =>
    !lane.closed && lane.held <= maxHeld - concurrent && lane.pausedUntil <= now().getTime()

  function fill(lane: Lane): void {
    lane.again = lane.filling
    if (lane.filling || stopping || !hasRoom(lane)) return
    lane.filling = true
    const filling = claim(lane)
      .catch(async (error: unknown) => {
        log.warn({ err: error, webhookId: lane.endpoint.id }, 'webhook deliveries not claimed')
        // The claim may have been made, and only its answer be lost.
        lost = true
        await delay(pollMs)
      })
      .finally(() => {
        lane.filling = false
        fillings.delete(filling)
        if (lane.again) fill(lane)
      })
    fillings.add(filling)
  }

  async function claim(lane: Lane): Promise<void> {
    if (elapsed() > aliveUntil - aliveMs / 2) await pulse()
    const at = now()
    const claimed = await claimDeliveries(db, {
      senderId,
      webhookId: lane.endpoint.id,
      at,
      patientUntil: new Date(at.getTime() - patienceMs),
      limit: maxHeld - lane.held,
    })
    for (const { seq } of claimed) held.add(seq)
    lane.queue.push(...claimed)
    lane.held += claimed.length
    if (stopping || lane.closed) letGo(lane)
    else pump(lane)
  }

  function pump(lane: Lane): void {
    while (lane.queue.length > 0 && lane.active < concurrent && !stopping) {
      const claimed = lane.queue.shift()!
      lane.active++
      const attempt = attemptDelivery(options.post, lane.endpoint, claimed, options.timeoutMs)
        .then((outcome) => {
          lane.active--
          take(lane, claimed, outcome)
          pump(lane)
        })
        .finally(() => attempts.delete(attempt))
      attempts.add(attempt)
    }
  }

  function take(lane: Lane, claimed: Claimed, outcome: Outcome): void {
    if (outcome.result === 'aborted') {
      lane.held--
      return release([claimed.seq])
    }
    const finished = afterAttempt(claimed, outcome, options.retrySeconds, chance())
    results.push({ lane, claimed, finished })
    const pause = finished.dueAt.getTime() - now().getTime()
    if (finished.state === 'pending' && pause < pollMs) setTimeout(bell.ring, pause).unref()
    if (outcome.result === 'gone') void disable(lane)
    if (outcome.retryAfterMs !== null) {
      lane.pausedUntil = now().getTime() + Math.min(outcome.retryAfterMs, longestRestMs)
      letGo(lane)
    }
    startFlush()
  }

  function startFlush(): void {
    flushing ??= flush().finally(() => {
      flushing = null
      if (results.length > 0) startFlush()
    })
  }

  async function disable(lane: Lane): Promise<void> {
    if (lane.closed) return
    close(lane)
    log.warn({ webhookId: lane.endpoint.id }, 'webhook endpoint answered 410 and is disabled')
    try {
      await inTransaction(db, (tx) =>
        endpoints.disable(tx, lane.endpoint.id, 'The endpoint answered 410 Gone.'),
      )
    } catch (error) {
      log.error({ err: error, webhookId: lane.endpoint.id }, 'webhook endpoint not disabled')
    }
  }

  async function flush(): Promise<void> {
    while (results.length > 0) {
      const batch = results.splice(0, 500)
      await write(batch)
      for (const { lane, finished } of batch) {
        held.delete(finished.seq)
        lane.held--
      }
      for (const lane of new Set(batch.map((one) => one.lane))) fill(lane)
    }
  }

  async function write(batch: typeof results): Promise<void> {
    const finished = batch.map((one) => one.finished)
    const done = batch
      // Only what failed before kept others waiting longer than for this moment.
      .filter(({ claimed, finished: { state } }) => state !== 'pending' && claimed.attempts > 0)
      .map(({ claimed }) => ({ ...claimed, dueAt: now() }))
    for (let tries = 1; ; tries++) {
      try {
        await finishDeliveries(db, senderId, finished)
        if (done.length > 0) await wakeFollowers(db, done)
        return
      } catch (error) {
        log.error({ err: error }, 'webhook deliveries not written down')
        // They are sent once more then.
        if (tries === 5) return void (lost = true)
        await delay(200 * tries)
      }
    }
  }

  async function findLost(): Promise<void> {
    await Promise.all(fillings)
    await releaseOtherDeliveries(db, senderId, [...held])
    lost = false
  }

  async function run(): Promise<void> {
    let nextSweep = now().getTime() + sweepMs
    while (!stopping) {
      try {
        if (lost) await findLost()
        syncLanes(await endpoints.list(db))
        const ready = [...lanes.values()].filter(hasRoom).map((lane) => lane.endpoint.id)
        const due = ready.length === 0 ? [] : await findDueEndpoints(db, ready, now())
        for (const id of due) {
          const lane = lanes.get(id)
          if (lane) fill(lane)
        }
        if (now().getTime() >= nextSweep) {
          nextSweep = now().getTime() + sweepMs
          await sweepDeliveries(db, options.keepDeliveredMs)
        }
      } catch (error) {
        log.warn({ err: error }, 'webhook sender: looking for work failed')
      }
      if (!stopping) await bell.rings(pollMs)
    }
  }

  const running = run()
  return {
    nudge: bell.ring,
    async stop(cut) {
      stopping = true
      bell.ring()
      await running
      clearInterval(heartbeat)
      await Promise.all(fillings)
      for (const lane of lanes.values()) letGo(lane)
      await cut()
      while (attempts.size > 0 || flushing) await Promise.all([...attempts, flushing])
      await deleteSender(db, senderId)
    },
  }
}

/** Something to wait for, or for so long. Rung while nobody waits, it ends the next wait at once. */
function createBell() {
  let rung = false
  let wake: () => void = () => undefined
  return {
    ring(): void {
      rung = true
      wake()
    },
    async rings(ms: number): Promise<void> {
      if (!rung)
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ms)
          wake = () => {
            clearTimeout(timer)
            resolve()
          }
        })
      rung = false
    },
  }
}
