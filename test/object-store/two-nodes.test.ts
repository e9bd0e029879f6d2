// needs: versitygw ffmpeg
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createLocalObjectStore } from '../../src/platform/object-store/local.ts'
import { createS3ObjectStore } from '../../src/platform/object-store/s3.ts'
import type { ObjectStore } from '../../src/platform/object-store/object-store.ts'
import { createStream, streamPath, untilStatus } from '../factories/streams.ts'
import { createClient, type TestClient } from '../harness/client.ts'
import { createTestDatabase, type TestDatabase } from '../harness/database.ts'
import { eventually } from '../harness/eventually.ts'
import { startServerProcess, type ServerProcess } from '../harness/process.ts'
import { makeClip, publish } from '../media/clips.ts'
import { keysOf } from './contract.ts'
import { accessKeyId, bucket, secretAccessKey, startVersitygw, type TestS3 } from './versitygw.ts'

// Two servers with a data folder each, on one database and one bucket.
const run = promisify(execFile)
let s3: TestS3
let database: TestDatabase
let folder: string
let store: ObjectStore
let settings: NodeJS.ProcessEnv
let one: ServerProcess
let two: ServerProcess
let alice: TestClient
beforeAll(async () => {
  ;[s3, database, folder] = await Promise.all([
    startVersitygw(),
    createTestDatabase(),
    mkdtemp(join(tmpdir(), 'hubbub-nodes-')),
  ])
  settings = {
    DATABASE_URL: database.url,
    HUBBUB_API_KEY: 'a-key-of-the-nodes',
    HUBBUB_LOG_LEVEL: 'fatal',
    S3_ENDPOINT: s3.endpoint,
    S3_BUCKET: bucket,
    S3_ACCESS_KEY_ID: accessKeyId,
    S3_SECRET_ACCESS_KEY: secretAccessKey,
    S3_PREFIX: 'hubbub',
  }
  const sameBucket = { endpoint: s3.endpoint, region: 'us-east-1', bucket, accessKeyId, secretAccessKey }
  store = await createS3ObjectStore(
    { ...sameBucket, prefix: 'hubbub/', forcePathStyle: true },
    join(folder, 'd'),
  )
  one = await startServerProcess(join(folder, 'one'), settings)
  two = await startServerProcess(join(folder, 'two'), settings)
  alice = await createClient(one.url, one.apiKey, 'alice')
}, 120_000)
afterAll(async () => {
  await Promise.all([one?.stop(), two?.stop()])
  await s3.close()
  await database.drop()
  await rm(folder, { recursive: true, force: true })
}, 60_000)

const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer())
const filesIn = async (name: string) => {
  const entries = await readdir(join(folder, name), { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map((entry) => entry.name)
}

async function upload(name: string, bytes: Buffer, path = 'images'): Promise<string> {
  const form = new FormData()
  form.append('files', new Blob([new Uint8Array(bytes)]), name)
  const { status, body } = await alice.send('POST', `/api/v4/${path}`, { body: form })
  expect(status).toBe(200)
  return body[0].fileId
}

it('a picture that comes in at one node is sent by the other: whole, in part, smaller; deleted, it is gone', async () => {
  const noise = { type: 'gaussian', mean: 128, sigma: 60 } as const
  const picture = await sharp({
    create: { width: 1200, height: 900, channels: 3, background: '#36c', noise },
  })
    .png()
    .toBuffer()
  const fileId = await upload('sea.png', picture)
  const address = `${two.url}/api/v3/files/${fileId}/download`
  const whole = await fetch(address)
  const sent = await bytesOf(whole)
  expect([whole.status, whole.headers.get('content-type')]).toEqual([200, 'image/png'])
  expect(sent.length).toBe(Number(whole.headers.get('content-length')))
  expect(await sharp(sent).metadata()).toMatchObject({ width: 1200, height: 900 })
  const part = await fetch(address, { headers: { range: 'bytes=1000-1999' } })
  expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes 1000-1999/${sent.length}`])
  expect((await bytesOf(part)).equals(sent.subarray(1000, 2000))).toBe(true)
  expect((await fetch(address, { headers: { range: `bytes=${sent.length}-` } })).status).toBe(416)
  const small = await bytesOf(await fetch(`${address}?size=small`))
  expect((await sharp(small).metadata()).width).toBeLessThan(300)
  expect(await keysOf(store)).toEqual([`files/${fileId}/original`, `files/${fileId}/small`])
  expect(await filesIn('one')).toEqual([])
  expect(await filesIn('two')).toEqual([])

  expect((await alice.delete(`/api/v3/files/${fileId}`)).status).toBe(200)
  await eventually(async () => (await keysOf(store)).length === 0)
  // The other node heard of it from the database.
  await eventually(async () => (await fetch(address)).status === 404)
})

it('a stream published at one node is replayed from the other', { timeout: 60_000 }, async () => {
  const clip = await makeClip(join(folder, 'clip.flv'), { seconds: 3, size: '160x90' })
  const { streamId, streamerUrl } = await createStream(alice)
  await publish(clip, streamerUrl.url)
  await alice.post(streamPath(streamId, '/stop'))
  const { recordings } = await untilStatus(alice, streamId, 'recorded', 40_000)
  expect((await keysOf(store)).filter((key) => key.startsWith('recordings/')).length).toBeGreaterThan(2)
  const address = recordings[0].mp4.url.replace(one.url, two.url)
  const found = await fetch(address, { headers: { range: 'bytes=4-7' } })
  expect([found.status, String(await bytesOf(found))]).toEqual([206, 'ftyp'])
})

it(
  'files of a data folder are copied into the bucket, and doctor tries it out',
  { timeout: 60_000 },
  async () => {
    const dataDir = join(folder, 'before')
    await mkdir(dataDir)
    const local = await createLocalObjectStore(join(dataDir, 'files'))
    await writeFile(join(folder, 'old'), 'from before')
    await local.putFile('files/before/original', join(folder, 'old'), { contentType: 'text/plain' })
    const environment = {
      ...process.env,
      ...settings,
      HUBBUB_DATA_DIR: dataDir,
      PORT: '0',
      HUBBUB_RTMP_PORT: '0',
    }
    const hubbub = (command: string) =>
      run(process.execPath, ['bin/hubbub.js', command], { env: environment })
    expect((await hubbub('copy-files')).stdout).toBe(`1 files copied to ${bucket}, 0.0 MiB\n`)
    expect((await store.stat('files/before/original'))?.size).toBe(11)
    expect((await hubbub('copy-files')).stdout).toMatch(/^0 files/)
    const before = await keysOf(store)
    // It ends with an error here: the database of the tests takes no care of its files.
    const { stdout } = await hubbub('doctor').catch((error: { stdout: string }) => error)
    expect(stdout).toContain(`ok    files: the bucket ${bucket}`)
    expect(await keysOf(store)).toEqual(before)
  },
)

it(
  'while the store is away, files are not to be had, and all else goes on',
  { timeout: 60_000 },
  async () => {
    const fileId = await upload('a.txt', Buffer.from('some text'), 'files')
    const address = `${two.url}/api/v3/files/${fileId}/download`
    expect((await bytesOf(await fetch(address))).toString()).toBe('some text')
    await s3.close()
    expect((await fetch(address)).status).toBe(503)
    const form = new FormData()
    form.append('files', new Blob(['more']), 'b.txt')
    expect((await alice.send('POST', '/api/v4/files', { body: form })).status).toBe(503)
    expect(await filesIn(join('one', 'uploads'))).toEqual([])
    expect((await alice.get(`/api/v3/files/${fileId}`)).status).toBe(200)
    expect((await fetch(`${two.url}/readyz`)).status).toBe(200)
  },
)
