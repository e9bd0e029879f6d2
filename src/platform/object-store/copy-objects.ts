import type { ObjectStore } from './object-store.ts'

/** Copies every object that `to` does not hold in the same size. Answers how many, and how many bytes they have. */
export async function copyObjects(
  from: ObjectStore,
  to: ObjectStore,
): Promise<{ copied: number; bytes: number }> {
  let copied = 0
  let bytes = 0
  for await (const { key, size } of from.list('')) {
    if ((await to.stat(key))?.size === size) continue
    const found = await from.get(key)
    if (found === null) continue
    // What an object is, its record in the database says.
    const options = { contentType: 'application/octet-stream', maxBytes: found.size }
    const stored = await to.put(key, found.stream, options)
    copied++
    bytes += stored.size
  }
  return { copied, bytes }
}
