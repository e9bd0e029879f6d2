import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import type { DB } from '../db/tables.ts'
import { createTestDatabase, type TestDatabase } from '../test/harness/database.ts'
import { insertDeliveries, insertMessages } from './delivery/webhooks/store.ts'
import { inTransaction, type Db } from './kernel/database.ts'
import { emit } from './kernel/outbox/emit.ts'
import { defineEvent } from './kernel/outbox/event.ts'
import { findEventsAfter, insertDeadLetter, sequenceEvents, updateHandled } from './kernel/outbox/store.ts'
import { now } from './platform/clock.ts'
import { openDatabase } from './platform/database/database.ts'
import { serveMetrics } from './platform/http/metrics.ts'
import { createHttpServer, type HttpServer } from './platform/http/server.ts'
import { addJob } from './platform/jobs/queue.ts'
import { createLog } from './platform/log.ts'
import { queueGauges } from './queue-gauges.ts'

let database: TestDatabase
let db: Db
let http: HttpServer
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())
beforeEach(async () => {
  db = openDatabase<DB>({ url: database.url, poolSize: 2 })
  http = await createHttpServer({
    log: createLog('silent', false),
    bodyLimit: 1024,
    trustedProxies: 0,
    corsOrigin: true,
    toErrorReply: () => ({ status: 500, body: {}, retryAfter: null }),
  })
  serveMetrics(http, queueGauges(db))
  return async () => {
    await http.close()
    await db.destroy()
  }
})

const happened = defineEvent({ name: 'test.happened', audiences: () => [], realtime: null })

async function gauges(): Promise<Record<string, number>> {
  const { statusCode, payload } = await http.inject('/metrics')
  expect(statusCode).toBe(200)
  const lines = payload.matchAll(/^hubbub_((?:outbox|webhook|jobs)\w+) (\S+)$/gm)
  return Object.fromEntries([...lines].map(([, name, value]) => [name, Number(value)]))
}

it('are zero where nothing waits', async () => {
  expect(await gauges()).toEqual({
    outbox_waiting: 0,
    outbox_oldest_seconds: 0,
    outbox_dead_letters: 0,
    webhook_deliveries_waiting: 0,
    webhook_deliveries_dead: 0,
    jobs_waiting: 0,
    jobs_failed: 0,
  })
})

it('count what waits and what was given up', async () => {
  const long = new Date(now().getTime() - 60_000)
  await inTransaction(db, async (tx) => {
    await emit(tx, happened, ...[1, 2, 3].map((n) => ({ actorId: null, subject: { n } })))
    await tx.updateTable('outboxEvents').set({ createdAt: long }).execute()
    for (const name of ['due', 'due', 'later', 'failed'])
      await addJob(tx, name, {}, name === 'later' ? { runAt: new Date(now().getTime() + 60_000) } : {})
    await sql`update graphile_worker._private_jobs set attempts = max_attempts where task_id =
      (select id from graphile_worker._private_tasks where identifier = 'failed')`.execute(tx)
    const messages = ['a', 'b'].map((id) => ({ id, name: 'x', streamKey: id, body: '{}' }))
    await insertMessages(tx, messages, long)
    const deliveries = messages.map(({ id, streamKey }) => ({ webhookId: 'w', messageId: id, streamKey }))
    await insertDeliveries(tx, deliveries, long)
    await tx.updateTable('webhookDeliveries').set({ state: 'dead' }).where('messageId', '=', 'b').execute()
  })
  // Of three events one is dispatched, one has only its position, and the last not even that.
  await sequenceEvents(db, 2, now())
  const [first] = await findEventsAfter(db, 0, 2)
  await inTransaction(db, async (tx) => {
    await updateHandled(tx, first!.position)
    const { id, position, name } = first!
    await insertDeadLetter(tx, { id, sink: 'push', position, name, error: 'no', failedAt: now() })
  })
  const { outbox_oldest_seconds: age, ...counts } = await gauges()
  expect(counts).toEqual({
    outbox_waiting: 2,
    outbox_dead_letters: 1,
    webhook_deliveries_waiting: 1,
    webhook_deliveries_dead: 1,
    jobs_waiting: 2,
    jobs_failed: 1,
  })
  expect(age).toBeGreaterThanOrEqual(60)
  expect(age).toBeLessThan(90)
})

it('are unknown, and hold up nothing, while the database does not answer', async () => {
  let free: () => void = () => undefined
  const held = new Promise<void>((resolve) => (free = resolve))
  let locked: () => void = () => undefined
  const isLocked = new Promise<void>((resolve) => (locked = resolve))
  const holding = inTransaction(db, async (tx) => {
    await sql`lock table outbox_events in access exclusive mode`.execute(tx)
    locked()
    await held
  })
  await isLocked
  // Answered while the table is still held.
  const values = await gauges().finally(free)
  await holding
  expect(Object.values(values)).toEqual(Array.from({ length: 7 }, () => NaN))
})
