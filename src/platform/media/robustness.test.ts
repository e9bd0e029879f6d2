// needs: ffmpeg
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises'
import { request, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { makeClip, readFlv, sendTags, type FlvTag } from '../../../test/media/clips.ts'
import { startMediaHost, streamKey, type MediaHost } from '../../../test/media/media-host.ts'
import { connectRtmp } from '../../../test/media/rtmp-client.ts'
import { encodeAmf0 } from './flv/amf0.ts'
import { encodeMessage } from './rtmp/messages.ts'

let base: string
let tags: FlvTag[]
let host: MediaHost
let id: string
let count = 0

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'media-'))
  tags = await readFlv(await makeClip(join(base, 'clip.flv'), { seconds: 3, size: '1280x720' }))
  host = await startMediaHost(join(base, 'streams'), {
    handshakeMs: 600,
    maxMessageBytes: 1024 * 1024,
    playerBufferBytes: 256 * 1024,
    slowPlayerMs: 300,
    maxConnections: 40,
  })
})

afterAll(async () => {
  await host?.close()
  await rm(base, { recursive: true, force: true })
})

beforeEach(() => void (id = `stream${++count}`))

async function publishing() {
  const client = await connectRtmp(host.engine.rtmpPort())
  await client.publish(`${id}?key=${streamKey}`)
  return client
}

/** Random bytes that are the same in every run. */
function randomSource(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

async function sendRaw(bytes: Buffer): Promise<void> {
  const socket = connect(host.engine.rtmpPort(), '127.0.0.1')
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  socket.write(bytes)
  await new Promise((resolve) => setTimeout(resolve, 5))
  socket.destroy()
}

test('malformed bytes before, in and after the handshake never harm the server', async () => {
  const random = randomSource(7)
  const hello = Buffer.concat([Buffer.from([3]), Buffer.alloc(3072)])
  const connectCommand = encodeMessage({
    chunkStream: 3,
    type: 20,
    timestamp: 0,
    messageStream: 0,
    payload: encodeAmf0('connect', 1, { app: 'live' }),
  })
  const publishCommand = encodeMessage({
    chunkStream: 3,
    type: 20,
    timestamp: 0,
    messageStream: 1,
    payload: encodeAmf0('publish', 3, null, `${id}?key=${streamKey}`, 'live'),
  })
  const media = tags.slice(1, 12).map((tag) =>
    encodeMessage({
      chunkStream: 6,
      type: tag.type,
      timestamp: tag.timestamp,
      messageStream: 1,
      payload: tag.payload.subarray(0, 2_000),
    }),
  )
  const whole = Buffer.concat([hello, connectCommand, publishCommand, ...media])
  for (let round = 0; round < 150; round++) {
    const bytes = Buffer.from(whole)
    const flips = 1 + Math.floor(random() * 30)
    // The first rounds are noise alone, the others a true session with bytes changed after the handshake.
    const from = round < 20 ? 0 : 3073
    for (let flip = 0; flip < flips; flip++) {
      bytes[from + Math.floor(random() * (bytes.length - from))] = Math.floor(random() * 256)
    }
    await sendRaw(round < 20 ? Buffer.from(bytes.map(() => Math.floor(random() * 256))) : bytes)
  }
  id = 'after-the-noise'
  const client = await publishing()
  sendTags(client, tags)
  await host.event(`start ${id}`)
  client.close()
  const errors = host
    .logged()
    .split('\n')
    .filter((line) => line.includes('"level":50'))
  expect(errors).toEqual([])
})

test('messages over the limit close the connection; before publishing the limit is small', async () => {
  const early = await connectRtmp(host.engine.rtmpPort())
  early.send(18, 0, Buffer.alloc(70_000))
  await early.closed()
  const client = await publishing()
  client.send(9, 0, Buffer.alloc(900_000))
  client.send(9, 0, Buffer.alloc(1_100_000))
  await client.closed()
  expect(host.logged()).toContain('messages of more than 1048576 bytes')
})

test('unfinished messages on many chunk streams count together', async () => {
  const client = await publishing()
  for (let chunkStream = 10; chunkStream < 14; chunkStream++) {
    const message = encodeMessage({
      chunkStream,
      type: 9,
      timestamp: 0,
      messageStream: 1,
      payload: Buffer.alloc(400_000),
    })
    client.socket.write(message.subarray(0, 1_000))
    // Completes the chunk but not the message, then goes on with the next.
    client.socket.write(Buffer.alloc(12 + 60_000 - 1_000))
  }
  await client.closed()
})

test('connections that say nothing are closed, and there are only so many', async () => {
  const sockets = Array.from({ length: 45 }, () => connect(host.engine.rtmpPort(), '127.0.0.1'))
  const closed = Promise.all(
    sockets.map((socket) => once(socket.on('error', () => undefined).resume(), 'close')),
  )
  await closed
  const client = await publishing()
  client.close()
})

test('a player that does not read is left behind, then dropped, without harm to others', async () => {
  const client = await publishing()
  sendTags(client, tags)
  await host.event(`start ${id}`)
  const url = new URL(host.http(id, 'live.flv'))
  const slow = request(url).end()
  const [stuck] = (await once(slow, 'response')) as [IncomingMessage]
  stuck.on('error', () => undefined)
  stuck.pause()
  let received = 0
  const quick = request(url).end()
  const [reading] = (await once(quick, 'response')) as [IncomingMessage]
  reading.on('data', (bytes: Buffer) => (received += bytes.length))
  await expect.poll(() => host.engine.playerCount(id)).toBe(2)
  for (let round = 1; round < 40; round++) {
    sendTags(client, tags.slice(3), round * 3_033)
    await new Promise((resolve) => setTimeout(resolve, 40))
  }
  await expect.poll(() => host.engine.playerCount(id)).toBe(1)
  const sent = tags.reduce((sum, tag) => sum + tag.payload.length, 0) * 38
  await expect.poll(() => received).toBeGreaterThan(sent * 0.9)
  quick.destroy()
  await expect.poll(() => host.engine.playerCount(id)).toBe(0)
  client.close()
})

test('hooks that throw are logged and disturb nothing', async () => {
  const other = await startMediaHost(join(base, 'throwing'))
  other.events.push = () => {
    throw new Error('the owner is confused')
  }
  const client = await connectRtmp(other.engine.rtmpPort())
  await client.publish(`${id}?key=${streamKey}`)
  sendTags(client, tags)
  await expect.poll(() => other.engine.status(id)).toBe('live')
  client.end()
  await expect.poll(() => other.engine.status(id)).toBe('interrupted')
  await other.engine.stop(id)
  expect((await other.engine.finishRecording(id))?.duration).toBeCloseTo(3, 0)
  expect(other.logged()).toContain('the owner is confused')
  await other.close()
})

test('a slow disk slows the encoder down instead of filling the memory', async () => {
  const slow = await startMediaHost(join(base, 'slow'), { diskBufferBytes: 50_000 })
  const client = await connectRtmp(slow.engine.rtmpPort())
  await client.publish(`${id}?key=${streamKey}`)
  sendTags(client, tags)
  await slow.event(`start ${id}`)
  client.command('deleteStream', 6, null, 1)
  await slow.event(`interrupted ${id} clean`)
  await slow.engine.stop(id)
  expect(await slow.engine.finishRecording(id)).toMatchObject({ partial: false })
  await slow.close()
})

test('with a full disk the stream goes on and the recording says what is missing', async () => {
  const full = await startMediaHost(join(base, 'full'))
  await mkdir(join(base, 'full', id))
  await symlink('/dev/full', join(base, 'full', id, 'source.flv'))
  const client = await connectRtmp(full.engine.rtmpPort())
  await client.publish(`${id}?key=${streamKey}`)
  sendTags(client, tags)
  await full.event(`start ${id}`)
  await expect.poll(() => full.logged()).toContain('a live recording can no longer be written')
  expect(full.engine.status(id)).toBe('live')
  expect(await full.engine.handleHls(id, { path: 'index.m3u8' })).not.toBeNull()
  await full.engine.stop(id)
  const state = await readFile(join(base, 'full', id, 'state.json'), 'utf8')
  expect(state).toMatch(/Writing failed \(ENOSPC/)
  expect(await full.engine.finishRecording(id)).toBeNull()
  await full.close()
})

test('a stream id that is no plain name is refused, as are two streams in one connection', async () => {
  id = '..%2fescape'
  await expect(publishing()).rejects.toThrow('The stream cannot be carried.')
  id = 'one-per-connection'
  const client = await publishing()
  client.command('publish', 9, null, `another?key=${streamKey}`, 'live')
  await client.closed()
})

test('a low-latency player waits for the part it asks for', async () => {
  const client = await publishing()
  const half = tags.findIndex((tag) => tag.timestamp > 2_200)
  sendTags(client, tags.slice(0, half))
  await host.event(`start ${id}`)
  const ask = (msn: string, part?: string) =>
    host.engine.handleHls(id, {
      path: 'index.m3u8',
      query: { _HLS_msn: msn, ...(part && { _HLS_part: part }) },
    })
  const now = (await ask('0'))!.body!.toString()
  const hint = /PRELOAD-HINT:TYPE=PART,URI="(part-(\d+)-(\d+)\.m4s)"/.exec(now)!
  const waits = [ask(hint[2]!, hint[3]), host.engine.handleHls(id, { path: hint[1]! })]
  let done = false
  void Promise.all(waits).then(() => (done = true))
  await new Promise((resolve) => setTimeout(resolve, 60))
  expect(done).toBe(false)
  sendTags(client, tags.slice(half))
  const [playlist, part] = await Promise.all(waits)
  expect(playlist!.body!.toString()).toContain(`URI="${hint[1]}"`)
  expect(part!.body!.subarray(4, 8).toString()).toBe('moof')
  // What lies far ahead, and what comes after the end, is not waited for.
  expect(await ask('9999', '3')).not.toBeNull()
  const last = ask('5')
  await host.engine.stop(id)
  expect((await last)!.body!.toString()).toContain('#EXT-X-ENDLIST')
})
