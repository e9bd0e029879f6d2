import type { Db } from '../database.ts'
import type { Resource } from './resource.ts'

type Rows = Map<string, unknown>

interface Waiting {
  ids: string[]
  settle: { resolve(rows: Rows): void; reject(error: unknown): void }
}

interface Queue {
  running: number
  waiting: Waiting[]
}

// One query at work and one on its way: the database is not idle, and what comes meanwhile goes together.
const atOnce = 2
const maxIds = 1000

const queues = new WeakMap<Db, Map<Resource, Queue>>()

/**
 * Loads rows of a resource, in one query with what other requests want of it. Alone, a load starts at once; under
 * load, what arrives while others are being read waits and then goes together. Nothing joins a query that has started,
 * so every caller sees what was committed before the call. A transaction is a database of its own here. The map may
 * hold rows that others asked for.
 */
export function joinedLoad(resource: Resource, db: Db, ids: string[]): Promise<Rows> {
  const queue = queueOf(db, resource)
  return new Promise((resolve, reject) => {
    queue.waiting.push({ ids, settle: { resolve, reject } })
    if (queue.running < atOnce) void drain(resource, db, queue)
  })
}

async function drain(resource: Resource, db: Db, queue: Queue): Promise<void> {
  queue.running++
  while (queue.waiting.length > 0) {
    const batch = takeBatch(queue.waiting)
    try {
      const rows = await resource.load(db, idsOf(batch))
      for (const { settle } of batch) settle.resolve(rows)
    } catch (error) {
      for (const { settle } of batch) settle.reject(error)
    }
  }
  queue.running--
}

function queueOf(db: Db, resource: Resource): Queue {
  let ofDb = queues.get(db)
  if (!ofDb) queues.set(db, (ofDb = new Map<Resource, Queue>()))
  let queue = ofDb.get(resource)
  if (!queue) ofDb.set(resource, (queue = { running: 0, waiting: [] }))
  return queue
}

function takeBatch(waiting: Waiting[]): Waiting[] {
  let size = waiting[0]!.ids.length
  let count = 1
  while (count < waiting.length && size + waiting[count]!.ids.length <= maxIds)
    size += waiting[count++]!.ids.length
  return waiting.splice(0, count)
}

function idsOf(batch: Waiting[]): string[] {
  return batch.length === 1 ? batch[0]!.ids : [...new Set(batch.flatMap(({ ids }) => ids))]
}
