import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, open, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createLocalObjectStore } from './local.ts'
import { isObjectStoreError } from './object-store.ts'
import type { ListedObject, ObjectStore } from './object-store.ts'
import { openSpool } from './spool.ts'
import { writeBody } from './write-body.ts'

const options = { contentType: 'text/plain', maxBytes: 1_000_000 }
let dir: string
let store: ObjectStore

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'object-store-'))
  store = await createLocalObjectStore(dir)
})
afterEach(() => rm(dir, { recursive: true }))

const read = async (key: string, range?: { start: number; end?: number }) => {
  const found = await store.get(key, range)
  return found === null ? null : (await buffer(found.stream)).toString()
}
const listed = async (prefix: string) => {
  const found: ListedObject[] = []
  for await (const each of store.list(prefix)) found.push(each)
  return found
}
const keys = async (prefix = '') => (await listed(prefix)).map((each) => each.key).sort()
const filesOnDisk = async () =>
  (await readdir(dir, { recursive: true, withFileTypes: true })).filter((e) => e.isFile()).length
const codeOf = async (work: Promise<unknown>) => {
  const error = await work.then(
    () => 'no error',
    (caught: unknown) => caught,
  )
  return isObjectStoreError(error) ? error.code : error
}

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
  expect(await filesOnDisk()).toBe(0)
})

test('the limit is inclusive; one byte more leaves nothing and keeps the earlier object', async () => {
  await store.put('files/a1', Readable.from(['12345']), { ...options, maxBytes: 5 })
  const over = store.put('files/a1', Readable.from(['123', '456']), { ...options, maxBytes: 5 })
  expect(await codeOf(over)).toBe('tooLarge')
  expect(await read('files/a1')).toBe('12345')
  expect(await filesOnDisk()).toBe(1)
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

  const truncated = Object.assign(Readable.from(['cut at the limit of the form parser']), { truncated: true })
  expect(await codeOf(store.put('files/a1', truncated, options))).toBe('tooLarge')
  expect(await filesOnDisk()).toBe(0)
})

test('a full disk is its own error', async () => {
  const full = await open('/dev/full', 'w')
  try {
    expect(await codeOf(writeBody(Readable.from(['x']), full, options))).toBe('storageFull')
  } finally {
    await full.close()
  }
})

test('keys outside the grammar are refused everywhere, and nothing is written outside the folder', async () => {
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
    'files/a1/small',
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
  expect(await keys('files/')).toEqual(['files/a1/small', 'files/a2'])
  const [first] = await listed('files/a2')
  expect(first).toMatchObject({ key: 'files/a2', size: 8 })
})

test('concurrent puts of one key leave one whole object', async () => {
  const bodies = Array.from({ length: 20 }, (_, i) => String.fromCharCode(97 + i).repeat(50_000))
  await Promise.all(bodies.map((body) => store.put('files/a1', Readable.from([body]), options)))
  expect(bodies).toContain(await read('files/a1'))
  expect(await filesOnDisk()).toBe(1)
})

test('a reader that is under way finishes with the old bytes', async () => {
  await store.put('files/a1', Readable.from(['old'.repeat(100_000)]), options)
  const old = await store.get('files/a1')
  await store.put('files/a1', Readable.from(['new']), options)
  await store.delete('files/a1')
  expect((await buffer(old!.stream)).toString()).toBe('old'.repeat(100_000))
})

test('a spooled body can be changed, then moved in', async () => {
  const spool = await openSpool(join(dir, '.uploads'))
  const body = await spool.receive(Readable.from(['raw']), options)
  expect(body.size).toBe(3)
  await writeFile(body.path, 'cooked')
  const stored = await store.putFile('files/a1', body.path, options)
  await body.discard()
  expect(stored).toEqual({ size: 6, sha256: createHash('sha256').update('cooked').digest('hex') })
  expect(await read('files/a1')).toBe('cooked')
  expect(await store.withFile('files/a1', async (path) => (await stat(path)).size)).toBe(6)
  expect(await filesOnDisk()).toBe(1)
})

test('opening clears what a crash left a day ago, and only that', async () => {
  const left = join(dir, '.incoming', 'left')
  const recent = join(dir, '.incoming', 'recent')
  await writeFile(left, 'x')
  await writeFile(recent, 'x')
  const longAgo = Date.now() / 1000 - 90_000
  await utimes(left, longAgo, longAgo)
  await createLocalObjectStore(dir)
  expect(await readdir(join(dir, '.incoming'))).toEqual(['recent'])
})
