import { lru } from 'tiny-lru'
import type { Db } from './database.ts'
import { everything, isListening, onForget } from './invalidation.ts'

/** What makes a memory forget: something said under a topic, and the key it then drops (null for none). */
export interface Hearing {
  topic: string
  drops(said: string): string | null
}

/** Values remembered under keys, for one database at a time. */
export interface Memory<Value> {
  /** Undefined when it is not remembered, and within a transaction, which may have changed it. */
  get(db: Db, key: string): Value | undefined
  /** Answers how to keep what is read from now on: it keeps nothing once anything was forgotten meanwhile. */
  reading(db: Db): (key: string, value: Value) => void
  /** The value remembered, or what `read` answers, which is remembered. */
  recall(db: Db, key: string, read: () => Promise<Value>): Promise<Value>
}

/**
 * Remembers hot, slowly changing values. Whoever changes one calls `forget(tx, topic, key)` in the same transaction; a
 * node that is not told of others' changes remembers nothing.
 */
export function createMemory<Value>(capacity: number, hearings: readonly Hearing[]): Memory<Value> {
  const entries = lru<{ db: Db; value: Value }>(capacity)
  // What was read before something was forgotten and kept after it would stay for ever.
  let forgotten = 0
  for (const { topic, drops } of hearings) {
    onForget(topic, (said) => {
      const key = said === everything ? everything : drops(said)
      if (key === null) return
      forgotten++
      if (key === everything) entries.clear()
      else entries.delete(key)
    })
  }
  const get = (db: Db, key: string) => {
    const entry = isListening(db) ? entries.get(key) : undefined
    return entry?.db === db ? entry.value : undefined
  }
  const reading = (db: Db) => {
    const before = forgotten
    return (key: string, value: Value) => {
      if (forgotten === before && isListening(db)) entries.set(key, { db, value })
    }
  }
  return {
    get,
    reading,
    async recall(db, key, read) {
      const known = get(db, key)
      if (known !== undefined) return known
      const keep = reading(db)
      const value = await read()
      keep(key, value)
      return value
    },
  }
}
