import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, open, opendir, rename, rm, stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { errorCode } from '../typed-error.ts'
import { keyOf, locate, scopeOf } from './local-layout.ts'
import { checkKey, checkPrefix, objectStoreError } from './object-store.ts'
import type { ListedObject, ObjectStat, ObjectStore, PutOptions, StoredObject } from './object-store.ts'
import { openSpool } from './spool.ts'
import { storing, syncFolder } from './write-body.ts'

/** Opens an object store in a local folder, making the folder if absent. */
export async function createLocalObjectStore(dir: string): Promise<ObjectStore> {
  const incoming = await openSpool(join(dir, '.incoming'))

  const pathOf = (key: string) => {
    const { folder, file } = locate(key)
    return join(dir, folder, file)
  }

  // Moves a complete, synced file of the same file system to its place.
  async function place(key: string, path: string): Promise<void> {
    const { space, folder, file } = locate(key)
    const target = join(dir, folder)
    const created = await storing(mkdir(target, { recursive: true }))
    await storing(rename(path, join(target, file)))
    const changed = created === undefined ? [target] : [target, join(dir, space), dir]
    for (const each of changed) await syncFolder(each)
  }

  async function put(key: string, body: Readable, options: PutOptions): Promise<StoredObject> {
    try {
      checkKey(key)
    } catch (error) {
      body.resume()
      throw error
    }
    const { size, sha256, path, discard } = await storing(incoming.receive(body, options))
    try {
      await place(key, path)
    } finally {
      await discard()
    }
    return { size, sha256 }
  }

  return {
    put,

    async putFile(key, path, options) {
      checkKey(key)
      const stored = await hashAndSync(path)
      try {
        await place(key, path)
      } catch (error) {
        // From another file system it can only be copied.
        if (errorCode(error) !== 'EXDEV') throw error
        await put(key, createReadStream(path), { ...options, maxBytes: stored.size })
        await rm(path, { force: true })
      }
      return stored
    },

    async get(key, range) {
      const file = await orNull(open(pathOf(key), 'r'))
      if (file === null) return null
      try {
        const { size } = await file.stat()
        if (range === undefined) return { stream: file.createReadStream(), size }
        const { start, end = size - 1 } = range
        if (!(start >= 0 && start < size && end >= start)) {
          throw objectStoreError('badRange', `no bytes from ${start} to ${end} in an object of ${size}`)
        }
        return { stream: file.createReadStream({ start, end: Math.min(end, size - 1) }), size }
      } catch (error) {
        await file.close()
        throw error
      }
    },

    stat: (key) => statFile(pathOf(key)),

    async withFile(key, use) {
      const path = pathOf(key)
      return (await statFile(path)) === null ? null : use(path)
    },

    async delete(key) {
      const { folder, file } = locate(key)
      if ((await orNull(unlink(join(dir, folder, file)).then(() => true))) === null) return
      await syncFolder(join(dir, folder))
    },

    list: (prefix) => listFiles(dir, prefix),
  }
}

async function* listFiles(dir: string, prefix: string): AsyncGenerator<ListedObject> {
  checkPrefix(prefix)
  const scope = scopeOf(prefix)
  const spaces = scope.space === undefined ? entriesOf(dir) : [scope.space]
  for await (const space of spaces) {
    if (!`${space}/`.startsWith(prefix.slice(0, space.length + 1))) continue
    const shards = scope.shard === undefined ? entriesOf(join(dir, space)) : [scope.shard]
    for await (const shard of shards) {
      for await (const file of entriesOf(join(dir, space, shard))) {
        const key = keyOf(space, file)
        if (!key.startsWith(prefix)) continue
        const found = await statFile(join(dir, space, shard, file))
        if (found !== null) yield { key, ...found }
      }
    }
  }
}

/** Names in a folder without the dotted ones; none if the folder is absent. */
async function* entriesOf(path: string): AsyncGenerator<string> {
  const folder = await orNull(opendir(path))
  if (folder === null) return
  for await (const entry of folder) if (!entry.name.startsWith('.')) yield entry.name
}

async function statFile(path: string): Promise<ObjectStat | null> {
  const found = await orNull(stat(path))
  return found === null || !found.isFile() ? null : { size: found.size, modifiedAt: found.mtime }
}

async function hashAndSync(path: string): Promise<StoredObject> {
  const file = await open(path, 'r+')
  try {
    const hash = createHash('sha256')
    await pipeline(file.createReadStream({ autoClose: false }), hash)
    await storing(file.sync())
    return { size: (await file.stat()).size, sha256: hash.digest('hex') }
  } finally {
    await file.close()
  }
}

async function orNull<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return null
    throw error
  }
}
