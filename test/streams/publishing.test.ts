// needs: ffmpeg
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { createCommunity } from '../factories/communities.ts'
import { createPost, inCommunity } from '../factories/posts.ts'
import { createStream, readStream, streamPath, untilStatus } from '../factories/streams.ts'
import type { TestClient } from '../harness/client.ts'
import { eventually } from '../harness/eventually.ts'
import { listen } from '../harness/listener.ts'
import { connectRtmp } from '../media/rtmp-client.ts'
import { probe, publish, startPublisher } from '../media/clips.ts'
import { setClock } from '../../src/platform/clock.ts'
import { startTestServer } from '../harness/server.ts'
import { openStreamWorld, type StreamWorld } from './stream-server.ts'

// Real encoders and players share the machine with whatever else runs.
vi.setConfig({ testTimeout: 60_000 })

let world: StreamWorld
let alice: TestClient
let bob: TestClient
let clip: string
beforeAll(async () => {
  world = await openStreamWorld({ HUBBUB_STREAM_GRACE_SECONDS: '1' })
  alice = await world.server.as('alice')
  bob = await world.server.as('bob')
  clip = await world.clip(8)
})
afterAll(() => world.close())

const kinds = (streams: Record<string, string | number>[]) =>
  streams.map((stream) => stream.codec_name).sort()
const get = (url: string, headers: Record<string, string> = {}) => fetch(url, { headers })

it('is published with ffmpeg, watched over HLS, FLV and RTMP, and replayed from three recordings', async () => {
  const { streamId, streamerUrl, watcherUrl } = await createStream(alice)
  const { postId } = await createPost(alice, { dataType: 'liveStream', data: { text: 'x', streamId } })
  const news = await listen(world.server, bob)
  expect((await get(watcherUrl.hls.url)).status).toBe(404)
  const encoder = startPublisher(clip, streamerUrl.url, 'loop')
  const live = await untilStatus(bob, streamId, 'live')
  expect(live).toMatchObject({ isLive: true, endedAt: null, postId })
  expect(live.startedAt).toBeTruthy()
  const [hls, flv, rtmp] = await Promise.all([
    probe(watcherUrl.hls.url, '-read_intervals', '%+1'),
    probe(watcherUrl.flv.url, '-read_intervals', '%+1'),
    probe(watcherUrl.rtmp.url, '-read_intervals', '%+1'),
  ])
  for (const { streams } of [hls, flv, rtmp]) expect(kinds(streams)).toEqual(['aac', 'h264'])
  const started = await news.next('video-streaming.didStart')
  expect(started.data.videoStreamings[0]).toMatchObject({ streamId, isLive: true, status: 'live' })
  expect(started.data.users[0].userId).toBe('alice')
  expect(JSON.stringify(started)).not.toContain(streamerUrl.components.query)
  encoder.kill('SIGTERM')
  await once(encoder, 'exit')
  const recorded = await untilStatus(bob, streamId, 'recorded')
  expect(recorded).toMatchObject({ isLive: false })
  await news.next('video-streaming.didStop')
  expect((await news.next('video-streaming.didRecord')).data.videoStreamings[0].recordings).toHaveLength(1)
  news.close()

  const [{ flv: asFlv, mp4, m3u8, isPartial, missing }] = recorded.recordings
  expect({ isPartial, missing }).toEqual({ isPartial: false, missing: [] })
  for (const file of [asFlv, mp4, m3u8]) {
    const { duration, streams } = await probe(file.url, '-read_intervals', '%+1')
    expect(kinds(streams)).toEqual(['aac', 'h264'])
    expect(Math.abs(duration - file.duration)).toBeLessThan(1)
  }
})

it('is replayed in full length, from any place', async () => {
  const { streamId, streamerUrl } = await createStream(alice)
  expect(await publish(clip, streamerUrl.url)).toEqual({ code: 0, said: '' })
  const { recordings, startedAt } = await untilStatus(bob, streamId, 'recorded')
  const { flv: asFlv, mp4, m3u8 } = recordings[0]
  const inClip = (await probe(clip)).videoFrames
  for (const file of [asFlv, mp4, m3u8]) {
    const { duration, videoFrames } = await probe(file.url)
    expect(Math.abs(duration - 8)).toBeLessThan(1)
    expect(Math.abs(file.duration - 8)).toBeLessThan(1)
    expect(videoFrames).toBe(inClip)
    expect(Math.abs(file.startTime - Date.parse(startedAt) / 1000)).toBeLessThan(5)
    expect(file.stopTime).toBeGreaterThanOrEqual(file.startTime)
  }
  // Seeking: any part of it can be asked for, and the picture from the middle on is there.
  const part = await get(mp4.url, { range: 'bytes=100-199' })
  expect([part.status, (await part.arrayBuffer()).byteLength]).toEqual([206, 100])
  for (const { url } of [mp4, asFlv]) {
    const late = await probe(url, '-read_intervals', '5%+1')
    expect(late.videoFrames).toBeGreaterThan(0)
  }
})

it('refuses a wrong key, a second encoder, a revoked key and an ended stream', async () => {
  const { streamId, streamerUrl } = await createStream(alice)
  const port = Number(new URL(streamerUrl.components.origin).port)
  const attempt = async (name: string, app = 'live') => {
    const client = await connectRtmp(port, app)
    await client.publish(name).catch(() => undefined)
    const said = client.codes.at(-1)
    const words = said === 'NetStream.Publish.Start' ? '' : await client.status(said!)
    return { client, said, words }
  }
  const { query } = streamerUrl.components
  expect((await attempt(`${streamId}?key=wrong`)).words).toMatch(/key is not valid/)
  expect((await attempt(streamId)).words).toMatch(/key is not valid/)
  expect((await attempt(`${'f'.repeat(24)}?${query}`)).words).toMatch(/no such stream/)
  expect((await attempt(`${streamId}?${query}`, 'other')).words).toMatch(/no such application/)
  const first = await attempt(`${streamId}?${query}`)
  expect(first.said).toBe('NetStream.Publish.Start')
  expect((await attempt(`${streamId}?${query}`)).words).toMatch(/already has a publisher/)
  const { body } = await alice.delete(streamPath(streamId, '/streaming-url'))
  await first.client.closed()
  expect((await attempt(`${streamId}?${query}`)).words).toMatch(/key is not valid/)
  const next = body.videoStreamings[0].streamerUrl.components.query as string
  // The one sent away may not have quite left.
  const second = await eventually(async () => {
    const again = await attempt(`${streamId}?${next}`)
    return again.said === 'NetStream.Publish.Start' ? again : undefined
  })
  await alice.post(streamPath(streamId, '/stop'))
  await second!.client.closed()
  expect((await attempt(`${streamId}?${next}`)).words).toMatch(/has ended/)
  await alice.delete(streamPath(streamId))
  expect((await attempt(`${streamId}?${next}`)).words).toMatch(/no such stream/)
})

it('ends a live stream when its maker says so, and keeps what was sent', async () => {
  const { streamId, streamerUrl } = await createStream(alice)
  const encoder = startPublisher(clip, streamerUrl.url, 'live')
  const gone = once(encoder, 'exit')
  await untilStatus(alice, streamId, 'live')
  await new Promise((resolve) => setTimeout(resolve, 1500))
  const { body } = await alice.delete(streamPath(streamId, '/streaming-url'))
  expect(body.videoStreamings[0]).toMatchObject({ status: 'ended', isLive: false })
  await gone
  const { recordings } = await untilStatus(alice, streamId, 'recorded')
  expect((await probe(recordings[0].mp4.url)).duration).toBeGreaterThan(0.5)
})

it('opens a secure stream by a signed address alone, until it expires or its viewer is banned', async () => {
  const { communityId } = await createCommunity(alice, { isPublic: false, userIds: ['bob'] })
  const { streamId, streamerUrl } = await createStream(alice, { isSecure: true })
  await createPost(alice, {
    ...inCommunity(communityId),
    dataType: 'liveStream',
    data: { text: 'x', streamId },
  })
  const outside = await listen(world.server, await world.server.as('carol'))
  const encoder = startPublisher(clip, streamerUrl.url, 'loop')
  await untilStatus(alice, streamId, 'live')
  const { watcherUrl } = await readStream(bob, streamId)
  expect(kinds((await probe(watcherUrl.hls.url, '-read_intervals', '%+1')).streams)).toEqual(['aac', 'h264'])
  expect(kinds((await probe(watcherUrl.rtmp.url, '-read_intervals', '%+1')).streams)).toEqual(['aac', 'h264'])
  const bare = watcherUrl.hls.url.split('?')[0] as string
  const forged = watcherUrl.hls.url.replace(/viewer=\w+/, `viewer=${alice.id}`)
  for (const url of [bare, forged, watcherUrl.flv.url.split('?')[0], `${bare}?viewer=&expires=&signature=`])
    expect((await get(url)).status).toBe(403)
  await expect(probe(watcherUrl.rtmp.url.split('?')[0], '-read_intervals', '%+1')).rejects.toThrow()
  expect((await get(watcherUrl.hls.url)).status).toBe(200)
  setClock(() => Date.now() + 7 * 60 * 60 * 1000)
  expect((await get(watcherUrl.hls.url)).status).toBe(403)
  setClock()
  const inbox = await listen(world.server, bob)
  // Whoever is watching is cut off at once, whichever way they watch.
  const flv = await get(watcherUrl.flv.url)
  const rtmp = await connectRtmp(Number(new URL(watcherUrl.rtmp.components.origin).port))
  await rtmp.play(`${streamId}?${watcherUrl.rtmp.components.query}`)
  await alice.put(streamPath(streamId, '/viewers/ban'), { userIds: ['bob'] })
  expect((await get(watcherUrl.hls.url)).status).toBe(403)
  await flv.arrayBuffer().catch(() => undefined)
  await rtmp.closed()
  expect((await inbox.next('video-streaming.viewerDidBan')).data.list).toMatchObject([
    { streamId, userId: 'bob' },
  ])
  inbox.close()
  expect((await readStream(bob, streamId)).watcherUrl).toBeNull()
  await alice.put(streamPath(streamId, '/viewers/unban'), { userIds: ['bob'] })
  const gone = once(encoder, 'exit')
  await alice.post(streamPath(streamId, '/stop'))
  await gone
  const { recordings } = await untilStatus(bob, streamId, 'recorded')
  expect((await probe(recordings[0].m3u8.url)).duration).toBeGreaterThan(0.5)
  expect((await get(recordings[0].mp4.url.split('?')[0])).status).toBe(403)
  expect(outside.names().filter((name) => name.startsWith('video-streaming'))).toEqual([])
  outside.close()
  await alice.delete(streamPath(streamId))
  expect((await get(recordings[0].mp4.url)).status).toBe(404)
})

it('says in plain words when the port for encoders is taken', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  const { port } = other.address() as AddressInfo
  await expect(startTestServer({ HUBBUB_RTMP_PORT: String(port) })).rejects.toThrow(
    `127.0.0.1:${port} is in use: set HUBBUB_RTMP_PORT to another port for live video`,
  )
  other.close()
})
