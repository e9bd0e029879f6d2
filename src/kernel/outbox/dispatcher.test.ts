import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { sql } from 'kysely'
import type { DB } from '../../../db/tables.ts'
import { eventually } from '../../../test/harness/eventually.ts'
import { createTestDatabase, type TestDatabase } from '../../../test/harness/database.ts'
import { openDatabase } from '../../platform/database/database.ts'
import { createLog } from '../../platform/log.ts'
import { inTransaction, type Db } from '../database.ts'
import {
  startDispatcher,
  type DispatchedEvent,
  type Dispatcher,
  type DispatcherOptions,
  type Sink,
} from './dispatcher.ts'
import { emit } from './emit.ts'
import { defineEvent } from './event.ts'

const happened = defineEvent<{ n: number }>({ name: 'test.happened', audiences: () => [], realtime: null })
const definitions = new Map([[happened.name, happened]])
const log = createLog('silent', false)

let database: TestDatabase
const opened: Db[] = []
const running: Dispatcher[] = []

beforeEach(async () => {
  database = await createTestDatabase()
})
afterEach(async () => {
  await Promise.all(running.splice(0).map((dispatcher) => dispatcher.stop()))
  await Promise.all(opened.splice(0).map((db) => db.destroy()))
  await database.drop()
})

function open(): Db {
  const db = openDatabase<DB>({ url: database.url, poolSize: 5, onError: () => undefined })
  opened.push(db)
  return db
}

const often = { pollMs: 20, lingerMs: 0 }

function start(db: Db, ...sinks: Sink[]): Dispatcher {
  return startWith(often, db, ...sinks)
}

function startWith(
  pace: Pick<DispatcherOptions, 'pollMs' | 'lingerMs' | 'answered'>,
  db: Db,
  ...sinks: Sink[]
): Dispatcher {
  const dispatcher = startDispatcher({ db, definitions, sinks, log, windowMs: 3_600_000, ...pace })
  running.push(dispatcher)
  return dispatcher
}

const tell = (db: Db, ...numbers: number[]) =>
  inTransaction(db, (tx) => emit(tx, happened, ...numbers.map((n) => ({ actorId: null, subject: { n } }))))
const numberOf = (event: DispatchedEvent) => (event.subject as { n: number }).n

function collector(name = 'collector') {
  const seen: number[] = []
  const sink: Sink = { name, take: async (events) => void seen.push(...events.map(numberOf)) }
  return { seen, sink }
}

describe('the outbox dispatcher', () => {
  it('gives every sink every event once, in commit order', async () => {
    const db = open()
    const first = collector('first')
    const second = collector('second')
    const dispatcher = start(db, first.sink, second.sink)
    for (let n = 0; n < 20; n += 2) await tell(db, n, n + 1)
    await dispatcher.settled()
    const all = Array.from({ length: 20 }, (_, n) => n)
    expect(first.seen).toEqual(all)
    expect(second.seen).toEqual(all)
  })

  it('says nothing of what was rolled back', async () => {
    const db = open()
    const { seen, sink } = collector()
    const dispatcher = start(db, sink)
    const rolledBack = inTransaction(db, async (tx) => {
      await emit(tx, happened, { actorId: null, subject: { n: 1 } })
      throw new Error('no')
    })
    await expect(rolledBack).rejects.toThrow('no')
    await tell(db, 2)
    await dispatcher.settled()
    expect(seen).toEqual([2])
  })

  it('does not lose a transaction that commits after a later one was told', async () => {
    const db = open()
    const { seen, sink } = collector()
    const dispatcher = start(db, sink)
    let commit: () => void = () => undefined
    const held = new Promise<void>((resolve) => (commit = resolve))
    let written: () => void = () => undefined
    const ready = new Promise<void>((resolve) => (written = resolve))
    const late = inTransaction(db, async (tx) => {
      await emit(tx, happened, { actorId: null, subject: { n: 1 } })
      written()
      await held
    })
    await ready
    await tell(db, 2)
    await eventually(() => seen.includes(2))
    commit()
    await late
    await dispatcher.settled()
    expect(seen).toEqual([2, 1])
  })

  it('takes up what was committed and not told when the node died', async () => {
    const db = open()
    await tell(db, 1, 2, 3)
    // As after a crash in the middle of a batch: positions are given, but nothing is marked as handled.
    const dying = start(db, { name: 'dying', take: () => new Promise(() => undefined) })
    await eventually(async () => {
      const { rows } = await sql<{ n: number }>`
        select count(*)::int as n from outbox_events where position is not null`.execute(db)
      return rows[0]!.n === 3
    })
    running.splice(running.indexOf(dying), 1)
    // The connection of the dead node ends, and PostgreSQL frees its lock.
    const survivor = open()
    await sql`select pg_terminate_backend(pid) from pg_locks
      where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())`.execute(
      survivor,
    )
    const { seen, sink } = collector()
    const dispatcher = start(survivor, sink)
    await eventually(() => seen.length === 3)
    await dispatcher.settled()
    expect(seen).toEqual([1, 2, 3])
    opened.splice(opened.indexOf(db), 1)
  })

  it('runs on one node at a time, and another takes over', async () => {
    const [one, other] = [open(), open()]
    const a = collector('a')
    const b = collector('b')
    const first = start(one, a.sink)
    await tell(one, 0)
    await first.settled()
    const second = start(other, b.sink)
    for (let n = 1; n <= 10; n++) await tell(n % 2 ? one : other, n)
    await first.settled()
    expect(a.seen).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
    expect(b.seen).toEqual([])
    await first.stop()
    await tell(other, 11)
    await second.settled()
    expect(b.seen).toEqual([11])
  })

  it('does not leave an event that was too young when it looked to the next poll', async () => {
    const db = open()
    const { seen, sink } = collector()
    const answering: Sink = {
      name: 'answering',
      async take(events) {
        if (events.some((event) => numberOf(event) === 1)) await tell(db, 2)
      },
    }
    startWith({ pollMs: 600_000, lingerMs: 100 }, db, answering, sink)
    await tell(db, 1)
    await eventually(() => seen.length === 2)
    expect(seen).toEqual([1, 2])
  })

  it('lets the answers to requests go first', async () => {
    const db = open()
    const { seen, sink } = collector()
    let asked = 0
    let answer = () => {}
    const answered = () => new Promise<void>((resolve) => ((answer = resolve), asked++))
    startWith({ ...often, answered }, db, sink)
    await tell(db, 1)
    await eventually(() => asked === 1)
    expect(seen).toEqual([])
    answer()
    await eventually(() => seen.length === 1)
  })

  it('puts aside the one event a sink fails on, with the reason, and goes on', async () => {
    const db = open()
    const told: number[] = []
    const fussy: Sink = {
      name: 'fussy',
      async take(events) {
        if (events.some((event) => numberOf(event) === 2)) throw new Error('not two')
        told.push(...events.map(numberOf))
      },
    }
    const { seen, sink } = collector()
    const dispatcher = start(db, fussy, sink)
    await tell(db, 1, 2, 3)
    await tell(db, 4)
    await dispatcher.settled()
    expect(told).toEqual([1, 3, 4])
    expect(seen).toEqual([1, 2, 3, 4])
    const letters = await db.selectFrom('outboxDeadLetters').select(['sink', 'name', 'error']).execute()
    expect(letters).toEqual([{ sink: 'fussy', name: 'test.happened', error: 'not two' }])
  })
})
