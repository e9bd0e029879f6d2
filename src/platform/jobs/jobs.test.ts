import { sql, type Kysely } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { DB } from '../../../db/tables.ts'
import { createTestDatabase, type TestDatabase } from '../../../test/harness/database.ts'
import { eventually } from '../../../test/harness/eventually.ts'
import { openDatabase, openPool } from '../database/database.ts'
import { setClock } from '../clock.ts'
import { createLog } from '../log.ts'
import { addJob, type QueueOptions } from './queue.ts'
import { createSignOfLife } from './sign-of-life.ts'
import { freeJobsOfTheDead, recurringKey, type Recurring } from './upkeep.ts'
import { startJobWorker, type JobWorker, type Task } from './worker.ts'

let database: TestDatabase
let db: Kysely<DB>
const workers: JobWorker[] = []

beforeAll(async () => {
  database = await createTestDatabase()
  db = openDatabase<DB>({ url: database.url, poolSize: 4 })
})
afterAll(async () => {
  await db.destroy()
  await database.drop()
})
beforeEach(async () => void (await sql`delete from graphile_worker._private_jobs`.execute(db)))
afterEach(async () => {
  setClock()
  await Promise.all(workers.splice(0).map((worker) => worker.stop()))
})

async function startWorker(tasks: Record<string, Task>, recurring: Recurring[] = []): Promise<JobWorker> {
  const worker = await startJobWorker({
    databaseUrl: database.url,
    tasks,
    recurring,
    concurrency: 2,
    log: createLog('silent', false),
    upkeepMs: 100,
  })
  workers.push(worker)
  return worker
}

const add = (name: string, payload: unknown, options?: QueueOptions) =>
  db.transaction().execute((tx) => addJob(tx, name, payload, options))

interface Row {
  key: string | null
  attempts: number
  lastError: string | null
  lockedBy: string | null
  waitSeconds: number
}

async function waitingJobs(): Promise<Row[]> {
  const { rows } = await sql<Row>`
    select key, attempts, last_error, locked_by, extract(epoch from run_at - now())::float8 as wait_seconds
    from graphile_worker._private_jobs order by id`.execute(db)
  return rows
}

describe('a job', () => {
  it('is done when the transaction that adds it commits, and only then', async () => {
    const done: unknown[] = []
    await startWorker({ note: async (payload) => void done.push(payload) })
    const undone = db.transaction().execute(async (tx) => {
      await addJob(tx, 'note', { n: 1 })
      throw new Error('undone')
    })
    await expect(undone).rejects.toThrow('undone')
    await add('note', { n: 2 })
    await eventually(() => done)
    await eventually(async () => (await waitingJobs()).length === 0)
    expect(done).toEqual([{ n: 2 }])
  })

  it('waits for its time on our clock, however far that is from the clock of the database', async () => {
    const day = 86_400_000
    setClock(() => Date.now() - 400 * day)
    await add('later', null, { runAt: new Date(Date.now() - 399 * day) })
    await add('at once', null, { runAt: new Date(0) })
    const [later, atOnce] = await waitingJobs()
    expect(later!.waitSeconds).toBeCloseTo(86_400, -1)
    expect(atOnce!.waitSeconds).toBeLessThanOrEqual(0)
  })

  it('is done within about a second of its time', async () => {
    let doneAt = 0
    await startWorker({ note: async () => void (doneAt = Date.now()) })
    const runAt = new Date(Date.now() + 300)
    await add('note', null, { runAt })
    await eventually(() => doneAt > 0)
    expect(doneAt).toBeGreaterThanOrEqual(runAt.getTime())
    expect(doneAt).toBeLessThan(runAt.getTime() + 1400)
  })

  it('replaces a waiting one of the same key', async () => {
    const done: unknown[] = []
    await add('note', { n: 1 }, { key: 'one', runAt: new Date(Date.now() + 3_600_000) })
    await add('note', { n: 2 }, { key: 'one' })
    await startWorker({ note: async (payload) => void done.push(payload) })
    await eventually(() => done)
    expect(done).toEqual([{ n: 2 }])
  })

  it('that fails is tried again later, as often as it may, and says why', async () => {
    await startWorker({ fail: () => Promise.reject(new Error('no luck')) })
    await add('fail', {}, { maxAttempts: 3 })
    const [job] = await eventually(async () => (await waitingJobs()).filter((row) => row.lastError !== null))
    expect(job).toMatchObject({ attempts: 1, lastError: 'no luck', lockedBy: null })
    expect(job!.waitSeconds).toBeGreaterThan(1)
  })

  it('runs alone in its queue over all nodes', async () => {
    let running = 0
    let most = 0
    let done = 0
    const busy: Task = async () => {
      most = Math.max(most, ++running)
      await new Promise((resolve) => setTimeout(resolve, 20))
      running--
      done++
    }
    await startWorker({ busy })
    await startWorker({ busy })
    for (let i = 0; i < 6; i++) await add('busy', {}, { queue: 'one by one' })
    await eventually(() => done === 6, 20_000)
    expect(most).toBe(1)
  })
})

describe('stopping', () => {
  it('tells the jobs that run and waits for them', async () => {
    let ended = false
    const begun = promised()
    const worker = await startWorker({
      long: async (_payload, signal) => {
        begun.resolve()
        await new Promise((resolve) => signal.addEventListener('abort', resolve))
        await new Promise((resolve) => setTimeout(resolve, 50))
        ended = true
      },
    })
    workers.length = 0
    await add('long', {})
    await begun.promise
    await worker.stop()
    expect(ended).toBe(true)
    expect(await waitingJobs()).toEqual([])
  })
})

describe('nodes that die', () => {
  const lockAs = (holder: string) =>
    sql`update graphile_worker._private_jobs set locked_by = ${holder}, locked_at = now() - interval '1 minute'`.execute(
      db,
    )

  it('leave their jobs to others', async () => {
    const done: unknown[] = []
    await add('note', { n: 1 })
    await lockAs('pool-of-a-dead-node')
    await startWorker({ note: async (payload) => void done.push(payload) })
    await eventually(() => done, 10_000)
    expect(done).toEqual([{ n: 1 }])
  })

  it('are told from those that live and take long', async () => {
    let runs = 0
    const begun = promised()
    const release = promised()
    const long: Task = async () => {
      runs++
      begun.resolve()
      await release.promise
    }
    await startWorker({ long })
    await add('long', {})
    await begun.promise
    await sql`update graphile_worker._private_jobs set locked_at = now() - interval '1 hour'`.execute(db)
    await startWorker({ long })
    // Ten rounds of upkeep of the second node.
    await new Promise((resolve) => setTimeout(resolve, 1000))
    release.resolve()
    await eventually(async () => (await waitingJobs()).length === 0)
    expect(runs).toBe(1)
  })

  it('give up what they held under a former name', async () => {
    const pool = openPool({ url: database.url, poolSize: 1, name: 'hubbub-jobs' })
    const life = createSignOfLife(pool)
    for (const name of ['before', 'after']) {
      life.rename(name)
      await life.show()
    }
    await add('note', { n: 4 })
    await lockAs('before')
    const other = openPool({ url: database.url, poolSize: 1, name: 'another node' })
    expect(await freeJobsOfTheDead(other, 'another', 0)).toBe(1)
    await lockAs('after')
    expect(await freeJobsOfTheDead(other, 'another', 0)).toBe(0)
    life.end()
    await Promise.all([pool.end(), other.end()])
  })

  it('live on when their connections are cut', async () => {
    const done: unknown[] = []
    await startWorker({ note: async (payload) => void done.push(payload) })
    await sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'hubbub-jobs'`.execute(db)
    await add('note', { n: 3 })
    await eventually(() => done, 20_000)
    await eventually(async () => {
      const { rows } = await sql<{ n: number }>`
        select count(*) as n from pg_locks join pg_stat_activity using (pid)
        where locktype = 'advisory' and application_name = 'hubbub-jobs'
          and pg_locks.database = (select oid from pg_database where datname = current_database())`.execute(
        db,
      )
      return rows[0]!.n === 1
    }, 20_000)
  })
})

describe('recurring jobs', () => {
  const tick = { name: 'tick', everyMs: 60_000 }

  it('are there once, on however many nodes, and again when they are lost', async () => {
    let runs = 0
    const task: Task = async () => {
      runs++
      await add('tick', {}, { key: recurringKey('tick'), runAt: new Date(Date.now() + 60_000) })
    }
    await startWorker({ tick: task }, [tick])
    await startWorker({ tick: task }, [tick])
    await eventually(() => runs === 1)
    await eventually(async () => (await waitingJobs()).length === 1)
    await sql`delete from graphile_worker._private_jobs`.execute(db)
    await eventually(() => runs === 2)
  })

  it('do not stand still when the clock is set back', async () => {
    let runs = 0
    await add('tick', {}, { key: recurringKey('tick'), runAt: new Date(Date.now() + 86_400_000) })
    await startWorker({ tick: async () => void runs++ }, [tick])
    await eventually(() => runs > 0)
  })
})

function promised() {
  let resolve = (): void => undefined
  const promise = new Promise<void>((settle) => (resolve = settle))
  return { promise, resolve }
}
