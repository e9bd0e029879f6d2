import { mkdtemp, open, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { codeOf, keysOf, testObjectStore } from '../../../test/object-store/contract.ts'
import { copyObjects } from './copy-objects.ts'
import { createLocalObjectStore } from './local.ts'
import { tryOut } from './try-out.ts'
import { writeBody } from './write-body.ts'

const options = { contentType: 'text/plain', maxBytes: 1_000_000 }
let dir: string
beforeEach(async () => (dir = await mkdtemp(join(tmpdir(), 'object-store-'))))
afterEach(() => rm(dir, { recursive: true }))

testObjectStore('a local folder', async () => {
  const folder = join(dir, 'files')
  return {
    store: await createLocalObjectStore(folder),
    async count() {
      const entries = await readdir(folder, { recursive: true, withFileTypes: true })
      return entries.filter((entry) => entry.isFile()).length
    },
    close: () => Promise.resolve(),
  }
})

test('a full disk is its own error', async () => {
  const full = await open('/dev/full', 'w')
  try {
    expect(await codeOf(writeBody(Readable.from(['x']), full, options))).toBe('storageFull')
  } finally {
    await full.close()
  }
})

test('a key may go on where another one ends', async () => {
  const store = await createLocalObjectStore(dir)
  for (const key of ['files/a1', 'files/a1/small']) await store.put(key, Readable.from([key]), options)
  expect(await keysOf(store, 'files/a1')).toEqual(['files/a1', 'files/a1/small'])
})

test('opening clears what a crash left a day ago, and only that', async () => {
  await createLocalObjectStore(dir)
  const left = join(dir, '.incoming', 'left')
  const recent = join(dir, '.incoming', 'recent')
  await writeFile(left, 'x')
  await writeFile(recent, 'x')
  const longAgo = Date.now() / 1000 - 90_000
  await utimes(left, longAgo, longAgo)
  await createLocalObjectStore(dir)
  expect(await readdir(join(dir, '.incoming'))).toEqual(['recent'])
})

test('objects are copied to another store once, and again when they came over broken', async () => {
  const from = await createLocalObjectStore(join(dir, 'from'))
  const to = await createLocalObjectStore(join(dir, 'to'))
  for (const key of ['files/a1', 'recordings/r1/a.ts']) await from.put(key, Readable.from([key]), options)
  await to.put('files/a1', Readable.from(['half']), options)
  expect(await copyObjects(from, to)).toEqual({ copied: 2, bytes: 26 })
  expect(await keysOf(to)).toEqual(await keysOf(from))
  expect(await copyObjects(from, to)).toEqual({ copied: 0, bytes: 0 })
})

test('a store is tried out without a trace', async () => {
  const store = await createLocalObjectStore(dir)
  await tryOut(store)
  expect(await keysOf(store)).toEqual([])
})
