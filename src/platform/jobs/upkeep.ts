import type pg from 'pg'
import { aliveLock } from './sign-of-life.ts'

// What graphile-worker leaves to others: jobs whose node died, and jobs that come again and again.

/** A job that runs again after a while, whatever became of the last run. */
export interface Recurring {
  name: string
  everyMs: number
}

/** The key under which the next run of a recurring job waits. */
export function recurringKey(name: string): string {
  return `recurring:${name}`
}

/**
 * Gives back the jobs of holders who show no life: those locked for longer than `graceMs` whose holder has lost its
 * connection. Without it they would wait four hours. Answers how many holders were found dead.
 */
export async function freeJobsOfTheDead(pool: pg.Pool, self: string, graceMs: number): Promise<number> {
  const { rows } = await pool.query<{ dead: string[] | null }>(
    `with held as (
       select locked_by, locked_at from graphile_worker._private_jobs where locked_by is not null
       union all
       select locked_by, locked_at from graphile_worker._private_job_queues where locked_by is not null
     ), stale as materialized (
       select locked_by from held where locked_by <> $1
       group by locked_by having max(locked_at) < now() - $2::float8 * interval '1 millisecond'
     )
     select array_agg(locked_by) as dead from stale
     where pg_try_advisory_xact_lock(hashtextextended(locked_by, $3))`,
    [self, graceMs, aliveLock],
  )
  const dead = rows[0]?.dead ?? []
  if (dead.length > 0) await pool.query('select graphile_worker.force_unlock_workers($1::text[])', [dead])
  return dead.length
}

/**
 * Adds the recurring jobs that are not there: new ones, and those whose next run a clock that was set back has moved
 * further away than their period.
 */
export async function ensureRecurring(pool: pg.Pool, recurring: Recurring[]): Promise<void> {
  await pool.query(
    `select graphile_worker.add_job(wanted.name, job_key => wanted.key, max_attempts => 1000)
     from unnest($1::text[], $2::text[], $3::float8[]) as wanted (name, key, every_ms)
     where not exists (
       select from graphile_worker._private_jobs job
       where job.key = wanted.key and job.attempts < job.max_attempts
         and (job.locked_at is not null or job.run_at <= now() + (wanted.every_ms + 1000) * interval '1 millisecond')
     )`,
    [
      recurring.map(({ name }) => name),
      recurring.map(({ name }) => recurringKey(name)),
      recurring.map(({ everyMs }) => everyMs),
    ],
  )
}

/** Removes jobs that failed for good longer ago than this many days. */
export async function removeDeadJobs(pool: pg.Pool, days: number): Promise<void> {
  await pool.query(
    `delete from graphile_worker._private_jobs
     where attempts >= max_attempts and locked_at is null and updated_at < now() - $1::float8 * interval '1 day'`,
    [days],
  )
}
