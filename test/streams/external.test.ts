// needs: ffmpeg nginx
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { createStream, readStream, streamPath, untilStatus } from '../factories/streams.ts'
import type { TestClient } from '../harness/client.ts'
import { eventually } from '../harness/eventually.ts'
import { freePorts } from '../harness/free-ports.ts'
import { startTestServer, type TestServer } from '../harness/server.ts'
import { makeClip, probe, publish, startPublisher } from '../media/clips.ts'
import { startNginx, type Nginx } from './nginx.ts'

vi.setConfig({ testTimeout: 60_000 })

const secret = 'a-secret-between-two-servers'
let folder: string
let server: TestServer
let nginx: Nginx
let alice: TestClient
let bob: TestClient
let clip: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hubbub-nginx-'))
  const [rtmp, http] = (await freePorts(2)) as [number, number]
  server = await startTestServer({
    HUBBUB_STREAM_GRACE_SECONDS: '3',
    HUBBUB_MEDIA_RTMP_URL: `rtmp://127.0.0.1:${rtmp}`,
    HUBBUB_MEDIA_SECRET: secret,
    HUBBUB_MEDIA_HLS_URL: `http://127.0.0.1:${http}/hls/{stream}.m3u8`,
    HUBBUB_MEDIA_RECORDINGS: join(folder, 'record'),
  })
  nginx = await startNginx(folder, { rtmp, http }, `${server.url}/media/callbacks?secret=${secret}`)
  alice = await server.as('alice')
  bob = await server.as('bob')
  clip = await makeClip(join(folder, 'clip.flv'), { seconds: 4 })
})
afterAll(async () => {
  await nginx?.stop()
  await server?.close()
  await rm(folder, { recursive: true, force: true })
})

it('publishes, plays and records through nginx, one recording across a drop', async () => {
  const { streamId, streamerUrl, watcherUrl } = await createStream(alice)
  expect(watcherUrl.flv.url).toBe('')
  const firstGone = once(startPublisher(clip, streamerUrl.url, 'live'), 'exit')
  await untilStatus(bob, streamId, 'live')
  const { streams } = await eventually(
    () => probe(watcherUrl.hls.url, '-read_intervals', '%+1').catch(() => undefined),
    20_000,
  ).then((found) => found!)
  expect(streams.map((stream) => stream.codec_name).sort()).toEqual(['aac', 'h264'])
  await firstGone
  await sleep(500)
  expect((await readStream(bob, streamId)).status).toBe('live')
  const second = startPublisher(clip, streamerUrl.url, 'live')
  const gone = once(second, 'exit')
  await sleep(2500)
  await alice.post(streamPath(streamId, '/stop'))
  // nginx hears of it with its next sign of life, and sends the encoder away.
  await gone
  const { recordings } = await untilStatus(bob, streamId, 'recorded')
  expect(recordings).toHaveLength(1)
  for (const file of [recordings[0].flv, recordings[0].mp4, recordings[0].m3u8]) {
    expect(file.url).toMatch(new RegExp(`^${server.url}/live/`))
    const { duration } = await probe(file.url)
    expect(duration).toBeGreaterThan(5)
    expect(Math.abs(duration - file.duration)).toBeLessThan(1)
  }
})

it('refuses a wrong key, an ended stream and an unsigned player', async () => {
  const { streamId, streamerUrl, watcherUrl } = await createStream(alice, { isSecure: true })
  const tried = await publish(clip, streamerUrl.url.replace(/key=.*/, 'key=wrong'), '-t', '1')
  expect(tried.code).not.toBe(0)
  expect((await readStream(bob, streamId)).status).toBe('idle')
  const publisher = startPublisher(clip, streamerUrl.url, 'loop')
  const gone = once(publisher, 'exit')
  await untilStatus(bob, streamId, 'live')
  await expect(probe(watcherUrl.rtmp.url.split('?')[0], '-read_intervals', '%+1')).rejects.toThrow()
  const { watcherUrl: signed } = await readStream(bob, streamId)
  expect((await probe(signed.rtmp.url, '-read_intervals', '%+1')).streams).toHaveLength(2)
  const query = signed.hls.components.query as string
  const judge = async (given: string) =>
    (await fetch(`${server.url}/media/callbacks/watch/${streamId}?${given}`)).status
  expect([await judge(query), await judge('')]).toEqual([204, 403])
  publisher.kill('SIGINT')
  await gone
  await untilStatus(bob, streamId, 'recorded')
  expect((await publish(clip, streamerUrl.url, '-t', '1')).code).not.toBe(0)
})

it('listens to nobody without the secret', async () => {
  const { streamId, streamerUrl } = await createStream(alice)
  const call = (query: string, body: object) =>
    fetch(`${server.url}/media/callbacks${query}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  const srs = {
    action: 'on_publish',
    app: 'live',
    stream: streamId,
    param: `?${streamerUrl.components.query}`,
  }
  for (const query of ['', '?secret=wrong-but-long-enough']) expect((await call(query, srs)).status).toBe(403)
  const right = `?secret=${secret}`
  expect((await call(right, { ...srs, param: '?key=wrong' })).status).toBe(403)
  expect(await (await call(right, srs)).json()).toEqual({ code: 0 })
  await untilStatus(alice, streamId, 'live')
  expect((await call(right, { action: 'on_unpublish', app: 'live', stream: streamId })).status).toBe(200)
  // A recording elsewhere on the disk is none of a stream's.
  expect((await call(right, { action: 'on_dvr', app: 'live', stream: streamId, file: clip })).status).toBe(
    200,
  )
  expect((await untilStatus(alice, streamId, 'ended')).recordings).toEqual([])
  const mtx = { action: 'publish', path: `live/${streamId}`, query: streamerUrl.components.query }
  expect((await call(right, mtx)).status).toBe(403)
  expect((await call(right, { action: 'api' })).status).toBe(200)
})
