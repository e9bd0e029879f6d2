import { lru, type LRU } from 'tiny-lru'
import type { Db } from '../database.ts'
import { everything, isListening, onForget } from '../invalidation.ts'
import type { EnvelopeContext, Resource } from './resource.ts'

interface Cache<Row> {
  rows: LRU<Row>
  /** Counts what was forgotten: a row read before and stored after would otherwise stay. */
  forgotten: number
}

/**
 * A resource whose rows are remembered, for hot and slowly changing kinds. Whoever changes a row calls
 * `forget(tx, topic, id)` in the same transaction; while this node is not told of others' changes, nothing is
 * remembered. Rows must not depend on the viewer.
 */
export function cachedResource<Row, State>(
  resource: Resource<Row, State>,
  topic: string,
  capacity: number,
): Resource<Row, State> {
  const caches = new WeakMap<Db, Cache<Row>>()
  const open = (db: Db): Cache<Row> => {
    const cache: Cache<Row> = { rows: lru<Row>(capacity), forgotten: 0 }
    caches.set(db, cache)
    onForget(topic, (id) => {
      cache.forgotten++
      if (id === everything) cache.rows.clear()
      else cache.rows.delete(id)
    })
    return cache
  }
  return {
    ...resource,
    async load(context: EnvelopeContext, ids: string[]) {
      if (!isListening(context.db)) return resource.load(context, ids)
      const cache = caches.get(context.db) ?? open(context.db)
      const found = new Map<string, Row>()
      const missing: string[] = []
      for (const id of ids) {
        const row = cache.rows.get(id)
        if (row === undefined) missing.push(id)
        else found.set(id, row)
      }
      if (missing.length === 0) return found
      const before = cache.forgotten
      const loaded = await resource.load(context, missing)
      for (const [id, row] of loaded) {
        found.set(id, row)
        if (cache.forgotten === before) cache.rows.set(id, row)
      }
      return found
    },
  }
}
