import { sql, type QueryExecutorProvider } from 'kysely'
import { now } from '../clock.ts'

/** When and how a job runs. */
export interface QueueOptions {
  /** Not before this time of our clock; at once by default. */
  runAt?: Date
  /** Of jobs with one key only the last added runs; one that runs already is followed by it. */
  key?: string
  /** How often it is tried, with growing pauses of up to six hours; 25 times by default. */
  maxAttempts?: number
  /** Jobs of one queue run one at a time, on whichever node. */
  queue?: string
}

/**
 * Adds a job in the caller's transaction: it exists if that commits, and only then. `payload` is JSON. The table keeps
 * the time of the database, so the wait until `runAt` is what is handed over.
 */
export async function addJob(
  tx: QueryExecutorProvider,
  name: string,
  payload: unknown,
  { runAt, key, maxAttempts, queue }: QueueOptions = {},
): Promise<void> {
  const waitMs = runAt ? Math.max(runAt.getTime() - now().getTime(), 0) : 0
  await sql`
    select from graphile_worker.add_job(${name}, payload => ${JSON.stringify(payload ?? {})}::json,
      run_at => clock_timestamp() + ${waitMs}::float8 * interval '1 millisecond',
      job_key => ${key ?? null}::text, max_attempts => ${maxAttempts ?? null}::int, queue_name => ${queue ?? null}::text
    )`.execute(tx)
}
