import { EventEmitter } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { run, type Runner, type WorkerEvents } from 'graphile-worker'
import type pg from 'pg'
import { openPool } from '../database/database.ts'
import type { Log } from '../log.ts'
import { workerLog } from './log.ts'
import { createSignOfLife } from './sign-of-life.ts'
import { ensureRecurring, freeJobsOfTheDead, removeDeadJobs, type Recurring } from './upkeep.ts'

/** Does one job. `signal` aborts when the server stops: what is left is done later or elsewhere. */
export type Task = (payload: unknown, signal: AbortSignal) => Promise<void>

export interface JobWorkerOptions {
  databaseUrl: string
  tasks: Readonly<Record<string, Task>>
  recurring: Recurring[]
  /** How many jobs run at once on this node. */
  concurrency: number
  log: Log
  /** How often other nodes are looked after, in ms; a dead one's jobs are free within twice this. */
  upkeepMs?: number
}

export interface JobWorker {
  /** Takes no more jobs, asks those that run to end, and waits for them. */
  stop(): Promise<void>
}

// How late what has its time may be: a job that is added for now is told of at once.
const pollMs = 1000
const retryMs = 1000
const keptDeadDays = 30

/**
 * Starts to do jobs in this process. Any number of nodes on one database share them; each job is done at least once,
 * and again when its node dies over it. Rejects when the database cannot be reached.
 */
export async function startJobWorker(options: JobWorkerOptions): Promise<JobWorker> {
  const { databaseUrl, recurring, log, upkeepMs = 3000 } = options
  const pool = openPool({
    url: databaseUrl,
    poolSize: options.concurrency + 2,
    name: 'hubbub-jobs',
    onError: (error) => log.warn({ err: error }, 'database connection of jobs lost'),
  })
  const stopping = new AbortController()
  const { signal } = stopping
  const life = createSignOfLife(pool)
  const events = new EventEmitter() as unknown as WorkerEvents
  events.on('pool:create', ({ workerPool }) => life.rename(workerPool.id))
  const start = () => startRunner(options, pool, events, signal)

  let runner: Runner
  try {
    runner = await start()
    await life.show()
    await ensureRecurring(pool, recurring)
  } catch (error) {
    life.end()
    await pool.end()
    throw error
  }

  // The runner gives up when the database stays away; a server must not.
  const keepRunning = async () => {
    while (!signal.aborted) {
      await runner.promise.catch((error: unknown) => {
        if (!signal.aborted) log.error({ err: error }, 'jobs stopped, starting again')
      })
      await pause(retryMs, signal)
      const next = signal.aborted ? null : await start().catch(() => null)
      if (next) runner = next
    }
    await runner.stop().catch(() => undefined)
  }
  const upkeep = async () => {
    for (let round = 0; !signal.aborted; round++) {
      await pause(upkeepMs, signal)
      if (signal.aborted) return
      try {
        // Whoever lost this connection lost others too, and the runner may wait for them for ever.
        if (life.wasLost()) await runner.stop().catch(() => undefined)
        await life.show()
        const dead = await freeJobsOfTheDead(pool, life.holder(), upkeepMs)
        if (dead > 0) log.warn({ dead }, 'jobs: took over from nodes that died')
        await ensureRecurring(pool, recurring)
        if (round % 1000 === 0) await removeDeadJobs(pool, keptDeadDays)
      } catch (error) {
        log.warn({ err: error }, 'jobs: upkeep failed')
      }
    }
  }
  const running = [keepRunning(), upkeep()]
  return {
    async stop() {
      stopping.abort()
      // Already stopped, when it just broke down.
      await runner.stop().catch(() => undefined)
      await Promise.all(running)
      life.end()
      await settled(pool)
      await pool.end()
    },
  }
}

async function startRunner(
  { tasks, concurrency, log }: JobWorkerOptions,
  pgPool: pg.Pool,
  events: WorkerEvents,
  signal: AbortSignal,
): Promise<Runner> {
  const runner = await run({
    pgPool,
    events,
    concurrency,
    pollInterval: pollMs,
    logger: workerLog(log),
    noHandleSignals: true,
    taskList: Object.fromEntries(
      Object.entries(tasks).map(([name, task]) => [name, (payload: unknown) => task(payload, signal)]),
    ),
    // Recurring jobs are ours (upkeep.ts): graphile-worker's stand still for as long as a clock is set back.
    crontab: '',
  })
  runner.promise.catch(() => undefined)
  return runner
}

// The runner does not wait for its last words: that a job is done.
async function settled(pool: pg.Pool): Promise<void> {
  for (let i = 0; i < 500 && (pool.waitingCount > 0 || pool.idleCount < pool.totalCount); i++) await delay(5)
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => undefined)
}
