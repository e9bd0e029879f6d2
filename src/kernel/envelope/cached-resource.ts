import { createMemory } from '../memory.ts'
import type { Resource } from './resource.ts'

/**
 * A resource whose rows are remembered by id, for hot and slowly changing kinds: whoever changes a row calls
 * `forget(tx, topic, id)` in the same transaction.
 */
export function cachedResource<Row, State>(
  resource: Resource<Row, State>,
  topic: string,
  capacity: number,
): Resource<Row, State> {
  const memory = createMemory<Row>(capacity, [{ topic, drops: (id) => id }])
  return {
    ...resource,
    remembered: memory.get,
    async load(db, ids) {
      const keep = memory.reading(db)
      const loaded = await resource.load(db, ids)
      for (const [id, row] of loaded) keep(id, row)
      return loaded
    },
  }
}
