// needs: ffmpeg
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createPost } from '../factories/posts.ts'
import { createStream, readStream, streamPath, untilStatus } from '../factories/streams.ts'
import { createClient } from '../harness/client.ts'
import { createTestDatabase, type TestDatabase } from '../harness/database.ts'
import { eventually } from '../harness/eventually.ts'
import { listen } from '../harness/listener.ts'
import { startServerProcess, type ServerProcess } from '../harness/process.ts'
import { probe, publish, startPublisher } from '../media/clips.ts'
import { openStreamWorld, type StreamWorld } from './stream-server.ts'

vi.setConfig({ testTimeout: 60_000 })

let world: StreamWorld
let clip: string
beforeAll(async () => {
  world = await openStreamWorld({ HUBBUB_STREAM_GRACE_SECONDS: '30' })
  clip = await world.clip(8)
})
afterAll(() => world.close())

it('keeps one stream, one post and one recording while the encoder is away', async () => {
  const alice = await world.server.as('alice')
  const news = await listen(world.server, alice)
  const { streamId, streamerUrl } = await createStream(alice)
  const { postId } = await createPost(alice, { dataType: 'liveStream', data: { text: 'x', streamId } })
  const first = startPublisher(clip, streamerUrl.url, 'live')
  await untilStatus(alice, streamId, 'live')
  await sleep(2000)
  first.kill('SIGKILL')
  await once(first, 'exit')
  await sleep(2000)
  expect(await readStream(alice, streamId)).toMatchObject({ status: 'live', postId })
  expect((await publish(clip, streamerUrl.url)).said).toBe('')
  await alice.post(streamPath(streamId, '/stop'))
  const { recordings, ...recorded } = await untilStatus(alice, streamId, 'recorded')
  expect(recorded.postId).toBe(postId)
  expect(recordings).toHaveLength(1)
  // What the first encoder sent before it was killed, and the whole of what the second sent.
  for (const file of [recordings[0].flv, recordings[0].mp4, recordings[0].m3u8])
    expect((await probe(file.url)).duration).toBeGreaterThan(9)
  await news.next('video-streaming.didRecord')
  expect(news.names().filter((name) => name.startsWith('video-streaming.did'))).toEqual([
    'video-streaming.didStart',
    'video-streaming.didStop',
    'video-streaming.didRecord',
  ])
  news.close()
})

describe('kill -9 of the server during a live stream', () => {
  let database: TestDatabase
  let dataDir: string
  let server: ServerProcess
  let logged = ''
  const start = async () => {
    const started = await startServerProcess(dataDir, {
      DATABASE_URL: database.url,
      HUBBUB_STREAM_GRACE_SECONDS: '2',
      HUBBUB_LOG_LEVEL: 'debug',
    })
    started.child.stdout?.on('data', (data: Buffer) => (logged += data.toString()))
    return started
  }
  beforeAll(async () => {
    database = await createTestDatabase()
    dataDir = await mkdtemp(join(tmpdir(), 'hubbub-killed-'))
    server = await start()
  })
  afterAll(async () => {
    await server.kill().catch(() => undefined)
    await database.drop()
    await rm(dataDir, { recursive: true, force: true })
  })

  it('ends the stream after the restart, and plays what was recorded', async () => {
    const before = await createClient(server.url, server.apiKey, 'alice')
    const { streamId, streamerUrl } = await createStream(before)
    const encoder = startPublisher(clip, streamerUrl.url, 'live')
    await untilStatus(before, streamId, 'live')
    await sleep(3000)
    const gone = once(encoder, 'exit')
    await server.kill()
    await gone
    server = await start()
    const alice = await createClient(server.url, server.apiKey, 'alice')
    const { recordings, endedAt, streamerUrl: now } = await untilStatus(alice, streamId, 'recorded')
    expect(endedAt).toBeTruthy()
    expect(recordings).toMatchObject([{ isPartial: true, missing: [expect.stringMatching(/unexpectedly/)] }])
    for (const file of [recordings[0].flv, recordings[0].mp4, recordings[0].m3u8]) {
      const { duration, videoFrames } = await probe(file.url)
      expect(duration).toBeGreaterThan(1.5)
      expect(videoFrames).toBeGreaterThan(45)
    }
    // The new process listens on another port.
    const again = streamerUrl.url.replace(streamerUrl.components.origin, now.components.origin)
    expect((await publish(clip, again)).code).not.toBe(0)
    await eventually(() => new RegExp(`${streamId}.*an encoder was refused`).test(logged))
    expect(logged.includes(streamerUrl.components.query)).toBe(false)
  })
})
