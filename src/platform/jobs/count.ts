import { sql, type QueryExecutorProvider } from 'kysely'

/** How many jobs are due and nobody has taken them, and how many have used up their tries; both up to a limit. */
export async function countJobs(
  db: QueryExecutorProvider,
  limit: number,
): Promise<{ waiting: number; failed: number }> {
  const { rows } = await sql<{ waiting: number; failed: number }>`
    select
      (select count(*) from (
        select from graphile_worker._private_jobs where is_available and run_at <= now() limit ${limit}) due) as waiting,
      (select count(*) from (
        select from graphile_worker._private_jobs
        where attempts >= max_attempts and locked_at is null limit ${limit}) dead) as failed`.execute(db)
  return rows[0]!
}
