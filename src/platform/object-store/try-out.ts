import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { newId } from '../ids.ts'
import type { ObjectStore } from './object-store.ts'

/** Writes, reads and deletes an object. Throws what the store throws, or an `Error` when it gives back other bytes. */
export async function tryOut(store: ObjectStore): Promise<void> {
  const key = `doctor/${newId()}`
  await store.put(key, Readable.from([key]), { contentType: 'text/plain', maxBytes: key.length })
  const found = await store.get(key)
  const read = found && (await text(found.stream))
  await store.delete(key)
  if (read !== key) throw new Error('what was written was not read back')
  if (await store.stat(key)) throw new Error('what was deleted is still there')
}
