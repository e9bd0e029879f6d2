import type { Db } from './database.ts'

/** Reads rows by id. Missing ids are simply absent from the map. */
export type Load<Row> = (db: Db, ids: string[]) => Promise<Map<string, Row>>

interface Waiting<Row> {
  ids: string[]
  resolve(rows: Map<string, Row>): void
  reject(error: unknown): void
}

interface Queue<Row> {
  running: number
  waiting: Waiting<Row>[]
}

// One query at work and one on its way: the database is not idle, and what comes meanwhile goes together.
const atOnce = 2
const maxIds = 1000

/**
 * A load that is done in one query with what other requests want of the same. Alone, it starts at once; under load, what
 * arrives while others are being read waits and then goes together. Nothing joins a query that has started, so every
 * caller sees what was committed before the call. A transaction is a database of its own here. What a row is must not
 * depend on who asks.
 */
export function joined<Row>(load: Load<Row>): Load<Row> {
  const queues = new WeakMap<Db, Queue<Row>>()

  async function drain(db: Db, queue: Queue<Row>): Promise<void> {
    queue.running++
    while (queue.waiting.length > 0) {
      const batch = takeBatch(queue.waiting)
      try {
        const rows = await load(db, idsOf(batch))
        for (const { ids, resolve } of batch) resolve(batch.length === 1 ? rows : pick(rows, ids))
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    queue.running--
  }

  return (db, ids) => {
    let queue = queues.get(db)
    if (!queue) queues.set(db, (queue = { running: 0, waiting: [] }))
    const { waiting, running } = queue
    return new Promise((resolve, reject) => {
      waiting.push({ ids, resolve, reject })
      if (running < atOnce) void drain(db, queue)
    })
  }
}

function takeBatch<Row>(waiting: Waiting<Row>[]): Waiting<Row>[] {
  let size = waiting[0]!.ids.length
  let count = 1
  while (count < waiting.length && size + waiting[count]!.ids.length <= maxIds)
    size += waiting[count++]!.ids.length
  return waiting.splice(0, count)
}

function idsOf(batch: { ids: string[] }[]): string[] {
  return batch.length === 1 ? batch[0]!.ids : [...new Set(batch.flatMap(({ ids }) => ids))]
}

function pick<Row>(rows: Map<string, Row>, ids: string[]): Map<string, Row> {
  const picked = new Map<string, Row>()
  for (const id of ids) {
    const row = rows.get(id)
    if (row !== undefined) picked.set(id, row)
  }
  return picked
}
