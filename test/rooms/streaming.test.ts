// needs: ffmpeg
import { once } from 'node:events'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { createPost } from '../factories/posts.ts'
import { createRoom, inviteCoHost, readRoom, roomPath, untilRoom } from '../factories/rooms.ts'
import type { TestClient } from '../harness/client.ts'
import { eventually } from '../harness/eventually.ts'
import { listen } from '../harness/listener.ts'
import { ffmpeg, probe, publish, startPublisher } from '../media/clips.ts'
import { apiKey, apiSecret, sendWebhook, startLiveKitApi, type LiveKitApi } from '../stage/livekit-server.ts'
import { openStreamWorld, type StreamWorld } from '../streams/stream-server.ts'

// Real encoders and players share the machine with whatever else runs.
vi.setConfig({ testTimeout: 90_000, hookTimeout: 60_000 })

let liveKit: LiveKitApi
let world: StreamWorld
let alice: TestClient
let bob: TestClient
let clip: string
beforeAll(async () => {
  liveKit = await startLiveKitApi()
  world = await openStreamWorld({
    LIVEKIT_URL: liveKit.url,
    LIVEKIT_API_KEY: apiKey,
    LIVEKIT_API_SECRET: apiSecret,
    LIVEKIT_EGRESS: 'true',
    HUBBUB_STREAM_GRACE_SECONDS: '20',
  })
  ;[alice, bob] = await Promise.all([world.server.as('alice'), world.server.as('bob')])
  clip = await world.clip(4)
})
afterAll(async () => {
  await world.close()
  await liveKit.close()
})

const kinds = (streams: Record<string, string | number>[]) =>
  streams.map((stream) => stream.codec_name).sort()
const bytes = async (url: string) => Buffer.from(await (await fetch(url)).arrayBuffer())
const isJpeg = (file: Buffer) => file.readUInt16BE(0) === 0xffd8

it('streams directly: live, waiting for the encoder, live again, ended, recorded', async () => {
  const { roomId } = await createRoom(alice)
  const { postId } = await createPost(alice, { dataType: 'room', data: { text: 'x', roomId } })
  const { directStreamUrl } = (await alice.get(roomPath(roomId, '/token'))).body
  const news = await listen(world.server, bob, [`hubbub/room/${roomId}`])
  expect((await publish(clip, directStreamUrl.replace(/key=.*/, 'key=wrong'))).code).not.toBe(0)
  expect(await readRoom(bob, roomId)).toMatchObject({ status: 'idle' })

  const first = startPublisher(clip, directStreamUrl, 'loop')
  const live = await untilRoom(bob, roomId, 'live')
  expect(live).toMatchObject({ referenceId: postId, endedAt: null, durationSeconds: null })
  const played = await probe(live.livePlaybackUrl, '-read_intervals', '%+1')
  expect(kinds(played.streams)).toEqual(['aac', 'h264'])
  expect(isJpeg(await bytes(live.liveThumbnailUrl))).toBe(true)
  const started = await news.next('room.startBroadcasting')
  expect(started.data.rooms[0]).toMatchObject({ roomId, status: 'live', liveAt: live.liveAt })
  // What is told to many opens to each of them, and holds no key.
  expect((await fetch(started.data.rooms[0].livePlaybackUrl)).status).toBe(200)
  expect(JSON.stringify(started)).not.toContain(directStreamUrl.split('key=')[1])

  first.kill('SIGKILL')
  await once(first, 'exit')
  expect((await news.next('room.waitingReconnect')).data.rooms[0].status).toBe('waitingReconnect')
  const second = startPublisher(clip, directStreamUrl, 'loop')
  await news.next('room.startBroadcasting')
  expect(await untilRoom(bob, roomId, 'live')).toMatchObject({ liveAt: live.liveAt })
  const gone = once(second, 'exit')
  await alice.post(roomPath(roomId, '/stop'))
  await gone
  expect((await news.next('room.endBroadcasting')).data.rooms[0].livePlaybackUrl).toBeNull()
  const recorded = await untilRoom(bob, roomId, 'recorded')
  expect((await news.next('room.recordedAvailable')).data.rooms[0].recordedAt).toBe(recorded.recordedAt)
  news.close()

  const [info] = recorded.recordedPlaybackInfos
  const file = await probe(info.url)
  expect(kinds(file.streams)).toEqual(['aac', 'h264'])
  expect(Math.abs(file.duration - recorded.durationSeconds)).toBeLessThanOrEqual(1)
  expect(isJpeg(await bytes(info.thumbnailUrl))).toBe(true)
  const { url, expiresAt } = (await bob.get(roomPath(roomId, '/recorded'))).body
  expect(new Date(expiresAt).getTime()).toBeGreaterThan(Date.now())
  expect((await fetch(url, { headers: { range: 'bytes=0-99' } })).status).toBe(206)
  expect((await fetch(url.split('?')[0])).status).toBe(403)
  expect((await publish(clip, directStreamUrl)).code).not.toBe(0)

  await alice.delete(roomPath(roomId))
  await eventually(async () => (await fetch(url)).status === 404 || undefined)
  expect((await readRoom(bob, roomId)).recordedPlaybackInfos).toEqual([])
})

it('says so when an encoder sends what cannot be played, and takes the next that can', async () => {
  const { roomId } = await createRoom(alice)
  const { directStreamUrl } = (await alice.get(roomPath(roomId, '/token'))).body
  const picture = ['-re', '-f', 'lavfi', '-i', 'testsrc2=size=160x90:rate=10']
  await ffmpeg(...picture, '-t', '3', '-c:v', 'flv1', '-f', 'flv', directStreamUrl).catch(() => '')
  await untilRoom(bob, roomId, 'error')
  const encoder = startPublisher(clip, directStreamUrl, 'loop')
  await untilRoom(bob, roomId, 'live')
  const gone = once(encoder, 'exit')
  await alice.post(roomPath(roomId, '/stop'))
  await gone
})

it('plays and records what co-hosts are mixed into', async () => {
  const { roomId } = await createRoom(alice, { type: 'coHosts' })
  const { _id } = await inviteCoHost(alice, roomId, 'bob')
  await bob.post(`/api/v1/invitations/${_id}/accept`)
  const room = { sid: 'RM_1', name: roomId }
  const tell = (event: string, more: object = {}) => sendWebhook(world.server.url, { event, room, ...more })
  const participant = { sid: 'PA_1', identity: alice.id }
  liveKit.onStage.set(roomId, [alice.id])
  await tell('participant_joined', { participant })
  await tell('track_published', { participant })
  expect(await readRoom(bob, roomId)).toMatchObject({ status: 'live', livePlaybackUrl: null })
  const asked = await eventually(() => liveKit.calls.find(({ method }) => method.startsWith('Egress/')))
  const [{ urls }] = asked!.body.streamOutputs as [{ urls: [string] }]
  const mixer = startPublisher(clip, urls[0], 'loop')
  const live = await eventually(async () => {
    const shown = await readRoom(bob, roomId)
    return shown.livePlaybackUrl ? shown : undefined
  }, 20_000)
  expect(kinds((await probe(live.livePlaybackUrl, '-read_intervals', '%+1')).streams)).toEqual([
    'aac',
    'h264',
  ])
  const gone = once(mixer, 'exit')
  await alice.post(roomPath(roomId, '/stop'))
  await gone
  const recorded = await untilRoom(bob, roomId, 'recorded')
  expect((await probe(recorded.recordedPlaybackInfos[0].url)).videoFrames).toBeGreaterThan(0)
  await eventually(() => liveKit.calls.find(({ method }) => method === 'RoomService/DeleteRoom'))
})
