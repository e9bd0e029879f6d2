import { lru, type LRU } from 'tiny-lru'
import type { Db } from '../database.ts'
import { everything, isListening, onForget } from '../invalidation.ts'
import type { Resource } from './resource.ts'

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
    remembered: (db, id) => (isListening(db) ? caches.get(db)?.rows.get(id) : undefined),
    async load(db, ids) {
      if (!isListening(db)) return resource.load(db, ids)
      const cache = caches.get(db) ?? open(db)
      const before = cache.forgotten
      const loaded = await resource.load(db, ids)
      if (cache.forgotten === before) for (const [id, row] of loaded) cache.rows.set(id, row)
      return loaded
    },
  }
}
