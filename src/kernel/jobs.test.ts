import { sql } from 'kysely'
import { Type } from 'typebox'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { DB } from '../../db/tables.ts'
import { createTestDatabase, type TestDatabase } from '../../test/harness/database.ts'
import { eventually } from '../../test/harness/eventually.ts'
import { openDatabase } from '../platform/database/database.ts'
import { createLog } from '../platform/log.ts'
import { inTransaction, type Db } from './database.ts'
import { defineJob, enqueue, startJobs, type Job } from './jobs.ts'

let database: TestDatabase
let db: Db

beforeAll(async () => {
  database = await createTestDatabase()
  db = openDatabase<DB>({ url: database.url, poolSize: 4 })
})
afterAll(async () => {
  await db.destroy()
  await database.drop()
})

const start = (jobs: Job<never>[], concurrency = 2) =>
  startJobs({ db, databaseUrl: database.url, jobs, concurrency, log: createLog('silent', false) })

describe('jobs of slices', () => {
  it('get the payload their schema describes, and refuse any other', async () => {
    const greeted: string[] = []
    const greet = defineJob({
      name: 'greet',
      schema: Type.Object({ name: Type.String() }),
      run: async (_context, { name }) => void greeted.push(name),
    })
    const jobs = await start([greet])
    await inTransaction(db, async (tx) => {
      await enqueue(tx, greet, { name: 'Alice' })
      await enqueue(tx, { ...greet, schema: null } as Job<unknown>, { title: 'no name' })
    })
    await eventually(() => greeted)
    const { rows } = await eventually(async () => {
      const failed = await sql<{ lastError: string }>`
        select last_error from graphile_worker._private_jobs where last_error is not null`.execute(db)
      return failed.rows.length > 0 && failed
    }).then((found) => found || { rows: [] })
    await jobs.stop()
    expect(greeted).toEqual(['Alice'])
    expect(rows[0]?.lastError).toMatch(/payload of greet/)
  })

  it('recur, whatever became of the last run', async () => {
    let runs = 0
    const sweep = defineJob({
      name: 'sweep',
      everyMs: 50,
      run() {
        runs++
        return Promise.reject(new Error('not today'))
      },
    })
    const jobs = await start([sweep])
    await eventually(() => runs >= 2, 15_000)
    await jobs.stop()
  })

  it('are left to other nodes by one that does none', async () => {
    let runs = 0
    const idle = defineJob({ name: 'idle', run: async () => void runs++ })
    const none = await start([idle], 0)
    await inTransaction(db, (tx) => enqueue(tx, idle, undefined))
    await none.stop()
    const jobs = await start([idle])
    await eventually(() => runs === 1)
    await jobs.stop()
  })

  it('have one name each', async () => {
    const one = defineJob({ name: 'one', run: async () => undefined })
    await expect(start([one, { ...one }])).rejects.toThrow('twice')
  })
})
