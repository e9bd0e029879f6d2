import { Ajv } from 'ajv'
import type { Static, TSchema } from 'typebox'
import { addJob, type QueueOptions } from '../platform/jobs/queue.ts'
import { recurringKey } from '../platform/jobs/upkeep.ts'
import { startJobWorker, type JobWorker, type Task } from '../platform/jobs/worker.ts'
import type { Log } from '../platform/log.ts'
import { now } from '../platform/clock.ts'
import { inTransaction, type Db, type Tx } from './database.ts'

/** What a job has to work with. Between steps it looks at `signal`: when the server stops, the rest is for later. */
export interface JobContext {
  db: Db
  log: Log
  signal: AbortSignal
}

/** Work that outlives the request that asks for it, done by any node, at least once: doing it twice must do no harm. */
export interface Job<Payload = unknown> {
  name: string
  schema: TSchema | null
  /** Jobs of one queue run one at a time, on whichever node. */
  queue: string | null
  /** Also runs again and again, with pauses of this many ms, whatever became of the last run. */
  everyMs: number | null
  run(context: JobContext, payload: Payload): Promise<void>
}

interface Definition {
  name: string
  queue?: string
  everyMs?: number
}

/** A job with a payload that `schema` describes; one that does not fit any more fails and says so. */
export function defineJob<S extends TSchema>(
  definition: Omit<Definition, 'everyMs'> & {
    schema: S
    run(context: JobContext, payload: Static<S>): Promise<void>
  },
): Job<Static<S>>
/** A job that needs no payload: it finds by itself what there is to do. */
export function defineJob(
  definition: Definition & { run(context: JobContext): Promise<void> },
): Job<undefined>
export function defineJob(definition: Definition & { schema?: TSchema; run: Job['run'] }): Job<never> {
  return { schema: null, queue: null, everyMs: null, ...definition }
}

export type EnqueueOptions = Omit<QueueOptions, 'queue'>

/** Has a job done once `tx` has committed, and never if it rolls back. */
export async function enqueue<Payload>(
  tx: Tx,
  job: Job<Payload>,
  payload: NoInfer<Payload>,
  options: EnqueueOptions = {},
): Promise<void> {
  await addJob(tx, job.name, payload, { ...options, ...(job.queue !== null && { queue: job.queue }) })
}

export interface JobsOptions {
  db: Db
  databaseUrl: string
  jobs: Job<never>[]
  /** How many run at once on this node; 0 leaves them to other nodes. */
  concurrency: number
  log: Log
}

/** Does the jobs of all slices on this node until stopped. */
export async function startJobs({
  db,
  databaseUrl,
  jobs,
  concurrency,
  log,
}: JobsOptions): Promise<JobWorker> {
  const names = new Set(jobs.map(({ name }) => name))
  if (names.size < jobs.length) throw new Error('a job is defined twice')
  if (concurrency === 0) return { stop: async () => undefined }
  return startJobWorker({
    databaseUrl,
    concurrency,
    log,
    tasks: Object.fromEntries(jobs.map((job) => [job.name, taskOf(job, db, log)])),
    recurring: jobs.flatMap(({ name, everyMs }) => (everyMs === null ? [] : [{ name, everyMs }])),
  })
}

function taskOf(job: Job<never>, db: Db, log: Log): Task {
  const fits = job.schema
    ? new Ajv({ strict: false, validateFormats: false }).compile(job.schema)
    : () => true
  const attempt: Task = async (payload, signal) => {
    if (!fits(payload)) throw new Error(`the payload of ${job.name} is not one it knows`)
    // What it is was checked above.
    await job.run({ db, log, signal }, (job.schema ? payload : undefined) as never)
  }
  const { everyMs } = job
  if (everyMs === null) return attempt
  return async (payload, signal) => {
    try {
      await attempt(payload, signal)
    } catch (error) {
      // The next run is its retry.
      log.warn({ err: error, job: job.name }, 'recurring job failed')
    }
    const runAt = new Date(now().getTime() + everyMs)
    await inTransaction(db, (tx) =>
      enqueue(tx, job as Job<undefined>, undefined, {
        runAt,
        key: recurringKey(job.name),
        maxAttempts: 1000,
      }),
    )
  }
}
