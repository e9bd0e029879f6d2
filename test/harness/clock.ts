import { sql } from 'kysely'
import { setClock } from '../../src/platform/clock.ts'
import { eventually } from './eventually.ts'
import type { TestServer } from './server.ts'

let ahead = 0

/**
 * Moves our clock by some ms, ahead or back, until `resetClock`. The clock of the database stays, so the jobs that
 * wait come closer by as much; those that are due then have been done when this resolves.
 */
export async function moveClock(server: TestServer, ms: number): Promise<void> {
  ahead += ms
  const moved = ahead
  setClock(() => Date.now() + moved)
  await sql`
    update graphile_worker._private_jobs set run_at = run_at - ${ms}::float8 * interval '1 millisecond'
    where locked_at is null`.execute(server.app.db)
  await sql`select pg_notify('jobs:insert', '{"count":100}')`.execute(server.app.db)
  await jobsDone(server)
}

/** Back to the machine's clock. For `afterEach`. */
export function resetClock(): void {
  ahead = 0
  setClock()
}

/** Resolves when no job is due or running. */
export async function jobsDone(server: TestServer): Promise<void> {
  await eventually(async () => {
    const { rows } = await sql<{ n: number }>`
      select count(*) as n from graphile_worker._private_jobs
      where locked_at is not null or (run_at <= now() and attempts < max_attempts)`.execute(server.app.db)
    return rows[0]!.n === 0
  }, 20_000)
}
