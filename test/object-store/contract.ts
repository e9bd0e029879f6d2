import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { isObjectStoreError } from '../../src/platform/object-store/object-store.ts'
import type { ListedObject, ObjectStore } from '../../src/platform/object-store/object-store.ts'

/** A store for one test, empty. */
export interface TestStore {
  store: ObjectStore
  /** How many things are stored, with what uploads and downloads have left half-way. */
  count(): Promise<number>
  close(): Promise<void>
}

const options = { contentType: 'text/plain', maxBytes: 1_000_000 }

/** The code of the `ObjectStoreError` that some work ends with, else what it ends with. */
export async function codeOf(work: Promise<unknown>): Promise<unknown> {
  const error = await work.then(
    () => 'no error',
    (caught: unknown) => caught,
  )
  return isObjectStoreError(error) ? error.code : error
}

/** Every key that begins with this, sorted. */
export async function keysOf(store: ObjectStore, prefix = ''): Promise<string[]> {
  return (await listed(store, prefix)).map((each) => each.key).sort()
}

async function listed(store: ObjectStore, prefix: string): Promise<ListedObject[]> {
  const found: ListedObject[] = []
  for await (const each of store.list(prefix)) found.push(each)
  return found
}

/** What the port promises, put to one implementation of it. */
export function testObjectStore(name: string, open: () => Promise<TestStore>): void {
  describe(`the object store: ${name}`, () => {
    let opened: TestStore
    let store: ObjectStore
    beforeEach(async () => {
      opened = await open()
      store = opened.store
    })
    afterEach(() => opened.close())

    const read = async (key: string, range?: { start: number; end?: number }) => {
      const found = await store.get(key, range)
      return found === null ? null : (await buffer(found.stream)).toString()
    }
    const keys = (prefix = '') => keysOf(store, prefix)

    test('what is put comes back whole, with size, hash and time', async () => {
      const bytes = randomBytes(300_000)
      const chunks = Array.from({ length: 30 }, (_, i) => bytes.subarray(i * 10_000, (i + 1) * 10_000))
      const stored = await store.put('files/a1/original', Readable.from(chunks), options)
      expect(stored).toEqual({ size: 300_000, sha256: createHash('sha256').update(bytes).digest('hex') })
      const found = await store.get('files/a1/original')
      expect(found?.size).toBe(300_000)
      expect((await buffer(found!.stream)).equals(bytes)).toBe(true)
      const stats = await store.stat('files/a1/original')
      expect(stats?.size).toBe(300_000)
      expect(stats?.modifiedAt).toBeInstanceOf(Date)
    })

    test('ranges are inclusive, open ends run to the last byte, a start past it is refused', async () => {
      await store.put('files/a1', Readable.from(['0123456789']), options)
      expect(await read('files/a1', { start: 2, end: 4 })).toBe('234')
      expect(await read('files/a1', { start: 9 })).toBe('9')
      expect(await read('files/a1', { start: 5, end: 500 })).toBe('56789')
      const one = await store.get('files/a1', { start: 0, end: 0 })
      expect(one?.size).toBe(10)
      expect((await buffer(one!.stream)).toString()).toBe('0')
      for (const range of [{ start: 10 }, { start: -1 }, { start: 4, end: 3 }, { start: NaN }]) {
        expect(await codeOf(store.get('files/a1', range))).toBe('badRange')
      }
      await store.put('files/empty', Readable.from([]), options)
      expect(await read('files/empty')).toBe('')
      expect(await codeOf(store.get('files/empty', { start: 0 }))).toBe('badRange')
    })

    test('absent objects: null, and deleting is idempotent', async () => {
      expect(await store.get('files/none')).toBeNull()
      expect(await store.stat('files/none')).toBeNull()
      expect(await store.withFile('files/none', () => Promise.resolve('used'))).toBeNull()
      await store.delete('files/none')
      await store.put('files/a1', Readable.from(['x']), options)
      await store.delete('files/a1')
      await store.delete('files/a1')
      expect(await opened.count()).toBe(0)
    })

    test('the limit is inclusive; one byte more leaves nothing and keeps the earlier object', async () => {
      await store.put('files/a1', Readable.from(['12345']), { ...options, maxBytes: 5 })
      const over = store.put('files/a1', Readable.from(['123', '456']), { ...options, maxBytes: 5 })
      expect(await codeOf(over)).toBe('tooLarge')
      expect(await read('files/a1')).toBe('12345')
      expect(await opened.count()).toBe(1)
    })

    test('a body that breaks off or is aborted leaves nothing', async () => {
      const broken = new Readable({ read: () => undefined })
      broken.push('half')
      const put = store.put('files/a1', broken, options)
      broken.destroy(new Error('connection reset'))
      expect(await codeOf(put)).toBe('aborted')

      const silent = new Readable({ read: () => undefined })
      silent.push('half')
      const cut = store.put('files/a1', silent, options)
      setTimeout(() => silent.destroy(), 20)
      expect(await codeOf(cut)).toBe('aborted')

      const controller = new AbortController()
      const endless = new Readable({ read: () => undefined })
      const aborted = store.put('files/a1', endless, { ...options, signal: controller.signal })
      setTimeout(() => controller.abort(), 20)
      expect(await codeOf(aborted)).toBe('aborted')
      expect(endless.destroyed).toBe(true)

      const truncated = Object.assign(Readable.from(['cut at the limit of the form parser']), {
        truncated: true,
      })
      expect(await codeOf(store.put('files/a1', truncated, options))).toBe('tooLarge')
      expect(await opened.count()).toBe(0)
    })

    test('keys outside the grammar are refused everywhere, and so are beginnings of such', async () => {
      const bad = [
        '',
        'a',
        '/a/b',
        'a/',
        'a//b',
        '../a/b',
        'a/..',
        'a/../../b',
        'a/./b',
        'a/.hidden',
        'A/b',
        'a/b\0',
        'a\\b/c',
      ]
      for (const key of [...bad, 'a/b+c', 'a/b.', 'a/ü', '.incoming/x', `a/${'b'.repeat(240)}`]) {
        expect(await codeOf(store.put(key, Readable.from(['x']), options)), key).toBe('badKey')
        for (const call of [store.get, store.stat, store.delete]) {
          expect(await codeOf((async () => call(key))()), key).toBe('badKey')
        }
      }
      for (const prefix of ['..', '../', '.incoming/', 'a/../', '/', 'a//']) {
        expect(await codeOf(keys(prefix)), prefix).toBe('badKey')
      }
      const longest = `a/${'b'.repeat(238)}`
      await store.put(longest, Readable.from(['x']), options)
      expect(await keys()).toEqual([longest])
    })

    test('list walks by prefix, whole or in part, and forgets what is deleted', async () => {
      const all = [
        'files/a1',
        'files/a1-small',
        'files/a2',
        'images/a1.b/x-1/y_2',
        'recordings/r1/1.ts',
        'recordings/r1/2.ts',
      ]
      for (const key of all) await store.put(key, Readable.from([key]), options)
      expect(await keys()).toEqual(all)
      expect(await keys('f')).toEqual(all.slice(0, 3))
      expect(await keys('files')).toEqual(all.slice(0, 3))
      expect(await keys('files/')).toEqual(all.slice(0, 3))
      expect(await keys('files/a1')).toEqual(all.slice(0, 2))
      expect(await keys('recordings/r1/')).toEqual(all.slice(4))
      expect(await keys('recordings/r1/2')).toEqual(all.slice(5))
      expect(await keys('nothing/')).toEqual([])
      await store.delete('files/a1')
      expect(await keys('files/')).toEqual(['files/a1-small', 'files/a2'])
      const [first] = await listed(store, 'files/a2')
      expect(first).toMatchObject({ key: 'files/a2', size: 8 })
    })

    test('concurrent puts of one key leave one whole object', async () => {
      const bodies = Array.from({ length: 20 }, (_, i) => String.fromCharCode(97 + i).repeat(50_000))
      await Promise.all(bodies.map((body) => store.put('files/a1', Readable.from([body]), options)))
      expect(bodies).toContain(await read('files/a1'))
      expect(await opened.count()).toBe(1)
    })

    test('a reader that is under way finishes with the old bytes', async () => {
      await store.put('files/a1', Readable.from(['old'.repeat(100_000)]), options)
      const old = await store.get('files/a1')
      await store.put('files/a1', Readable.from(['new']), options)
      await store.delete('files/a1')
      expect((await buffer(old!.stream)).toString()).toBe('old'.repeat(100_000))
    })

    test('a file is moved in, and lent as a file', async () => {
      const folder = await mkdtemp(join(tmpdir(), 'object-store-file-'))
      try {
        const path = join(folder, 'made')
        await writeFile(path, 'cooked')
        const stored = await store.putFile('files/a1', path, options)
        expect(stored).toEqual({ size: 6, sha256: createHash('sha256').update('cooked').digest('hex') })
        await expect(stat(path)).rejects.toThrow('ENOENT')
        await expect(store.putFile('files/a1', path, options)).rejects.toThrow('ENOENT')
        expect(await read('files/a1')).toBe('cooked')
        expect(await store.withFile('files/a1', async (path) => String(await readFile(path)))).toBe('cooked')
        const failing = store.withFile('files/a1', () => Promise.reject(new Error('unreadable')))
        await expect(failing).rejects.toThrow('unreadable')
        expect(await opened.count()).toBe(1)
      } finally {
        await rm(folder, { recursive: true })
      }
    })

    test('large objects: whole, in ranges, replaced or not at all', async () => {
      const [old, bytes] = [randomBytes(1000), randomBytes(20 * 2 ** 20 + 7)]
      const large = { ...options, maxBytes: bytes.length }
      const pieces = () => Readable.from([bytes.subarray(0, 3), bytes.subarray(3)])
      await store.put('files/a1', Readable.from([old]), options)
      const over = store.put('files/a1', pieces(), { ...large, maxBytes: bytes.length - 1 })
      expect(await codeOf(over)).toBe('tooLarge')
      const broken = new Readable({ read: () => undefined })
      broken.push(bytes.subarray(0, 18 * 2 ** 20))
      const put = store.put('files/a1', broken, large)
      setTimeout(() => broken.destroy(new Error('connection reset')), 200)
      expect(await codeOf(put)).toBe('aborted')
      expect(await opened.count()).toBe(1)
      expect(await read('files/a1')).toBe(old.toString())

      const sha256 = createHash('sha256').update(bytes).digest('hex')
      expect(await store.put('files/a1', pieces(), large)).toEqual({ size: bytes.length, sha256 })
      const whole = await store.get('files/a1')
      expect(whole!.size).toBe(bytes.length)
      expect((await buffer(whole!.stream)).equals(bytes)).toBe(true)
      const [start, end] = [8 * 2 ** 20 - 5, 8 * 2 ** 20 + 4]
      const part = await store.get('files/a1', { start, end })
      expect(part!.size).toBe(bytes.length)
      expect((await buffer(part!.stream)).equals(bytes.subarray(start, end + 1))).toBe(true)
      expect(await opened.count()).toBe(1)

      const exact = bytes.subarray(0, 16 * 2 ** 20)
      await store.put('files/a2', Readable.from([exact]), large)
      expect((await store.stat('files/a2'))?.size).toBe(exact.length)
    })
  })
}
