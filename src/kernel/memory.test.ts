import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { DB } from '../../db/tables.ts'
import { createTestDatabase, type TestDatabase } from '../../test/harness/database.ts'
import { eventually } from '../../test/harness/eventually.ts'
import { openDatabase } from '../platform/database/database.ts'
import { inTransaction, type Db } from './database.ts'
import { everything, forget, isListening, listenToOthers } from './invalidation.ts'
import { createMemory } from './memory.ts'

let database: TestDatabase
let db: Db
let others: { close(): Promise<void> }

const fail = (error: Error) => {
  throw error
}

beforeAll(async () => {
  database = await createTestDatabase()
  db = openDatabase<DB>({ url: database.url, poolSize: 2, onError: fail })
  others = listenToOthers(db, database.url, fail)
  await eventually(() => isListening(db))
})
afterAll(async () => {
  await others.close()
  await db.destroy()
  await database.drop()
})

const say = (topic: string, key: string) => inTransaction(db, (tx) => forget(tx, topic, key))

describe('a memory', () => {
  const memory = createMemory<string>(10, [
    { topic: 'memory-test', drops: (said) => said },
    { topic: 'memory-test-all', drops: (said) => (said === 'us' ? everything : null) },
  ])
  const recall = (key: string, value: string) => memory.recall(db, key, async () => value)

  it('keeps what was read until it is told to forget it', async () => {
    expect(await recall('a', 'first')).toBe('first')
    expect(await recall('a', 'second')).toBe('first')
    expect(await recall('b', 'other')).toBe('other')
    await say('memory-test', 'a')
    expect(memory.get(db, 'a')).toBeUndefined()
    expect(memory.get(db, 'b')).toBe('other')
    await say('memory-test-all', 'them')
    expect(memory.get(db, 'b')).toBe('other')
    await say('memory-test-all', 'us')
    expect(memory.get(db, 'b')).toBeUndefined()
  })

  it('keeps nothing that was read before something was forgotten', async () => {
    const value = await memory.recall(db, 'c', async () => {
      await say('memory-test', 'd')
      return 'stale'
    })
    expect(value).toBe('stale')
    expect(memory.get(db, 'c')).toBeUndefined()
  })

  it('remembers nothing within a transaction, nor for another database', async () => {
    // What the tests before said may be heard only now, and stops a value from being kept.
    await eventually(async () => {
      await recall('e', 'seen')
      return memory.get(db, 'e') === 'seen'
    })
    await inTransaction(db, async (tx) => {
      expect(memory.get(tx, 'e')).toBeUndefined()
      expect(await memory.recall(tx, 'e', async () => 'within')).toBe('within')
    })
    expect(memory.get(db, 'e')).toBe('seen')
    const deaf = openDatabase<DB>({ url: database.url, poolSize: 1, onError: fail })
    expect(await memory.recall(deaf, 'e', async () => 'elsewhere')).toBe('elsewhere')
    expect(memory.get(deaf, 'e')).toBeUndefined()
    await deaf.destroy()
  })
})
