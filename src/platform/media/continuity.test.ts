// needs: ffmpeg
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFile, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import {
  makeClip,
  pictureHashes,
  probe,
  readFlv,
  sendTags,
  startPublisher,
  type FlvTag,
} from '../../../test/media/clips.ts'
import { startMediaHost, streamKey, type MediaHost } from '../../../test/media/media-host.ts'
import { connectRtmp, type RtmpClient } from '../../../test/media/rtmp-client.ts'
import type { Recording } from './engine.ts'

let base: string
let clip: string
let tags: FlvTag[]
let otherClip: string
let otherTags: FlvTag[]
let id: string
let count = 0

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'media-'))
  clip = await makeClip(join(base, 'clip.flv'), { seconds: 4 })
  otherClip = await makeClip(join(base, 'other.flv'), {
    seconds: 3,
    size: '640x360',
    rate: 25,
    audioRate: 48_000,
  })
  tags = await readFlv(clip)
  otherTags = await readFlv(otherClip)
})

afterAll(() => rm(base, { recursive: true, force: true }))

beforeEach(() => void (id = `stream${++count}`))

async function publishing(host: MediaHost): Promise<RtmpClient> {
  const client = await connectRtmp(host.engine.rtmpPort())
  await client.publish(`${id}?key=${streamKey}`)
  return client
}

/** Publishes tags at once and loses the connection. */
async function burst(host: MediaHost, media: FlvTag[], shift = 0): Promise<void> {
  const before = host.events.filter((event) => event.startsWith(`interrupted ${id}`)).length
  const client = await publishing(host)
  sendTags(client, media, shift)
  client.command('FCUnpublish', 5, null, id)
  client.command('deleteStream', 6, null, 1)
  await expect
    .poll(() => host.events.filter((event) => event.startsWith(`interrupted ${id}`)).length, {
      timeout: 8_000,
    })
    .toBe(before + 1)
}

function filesOf(recording: Recording | null, kind: string): string[] {
  return (recording?.files ?? []).filter((file) => file.kind === kind).map((file) => file.path)
}

test('an encoder that drops and comes back continues one stream, one playlist and one recording', async () => {
  const host = await startMediaHost(join(base, id))
  await burst(host, tags)
  // The second connection starts its clock elsewhere, as encoders do.
  await burst(host, tags, 5_000_000)
  expect(host.events).toEqual([
    `start ${id}`,
    `interrupted ${id} clean`,
    `reconnect ${id}`,
    `interrupted ${id} clean`,
  ])
  const playlist = (await host.engine.handleHls(id, { path: 'index.m3u8' }))!.body!.toString()
  expect(playlist.match(/#EXT-X-DISCONTINUITY\n/g)).toHaveLength(1)
  expect(playlist.match(/#EXT-X-MAP/g)).toHaveLength(2)
  await host.engine.stop(id)
  expect((await probe(host.http(id, 'index.m3u8'), '-live_start_index', '0')).videoFrames).toBeGreaterThan(
    230,
  )
  const recording = await host.engine.finishRecording(id)
  expect(recording).toMatchObject({ parts: 1, partial: false })
  const source = await pictureHashes(clip)
  for (const kind of ['flv', 'mp4', 'm3u8']) {
    const [path, ...more] = filesOf(recording, kind)
    expect(more).toEqual([])
    expect(Math.abs((await probe(path!)).duration - 8)).toBeLessThan(1)
    expect(await pictureHashes(path!)).toEqual([...source, ...source])
  }
  await host.close()
})

test('other codec settings after the drop: one stream still, and an MP4 for each', async () => {
  const host = await startMediaHost(join(base, id))
  await burst(host, tags)
  await burst(host, otherTags)
  await host.engine.stop(id)
  const recording = await host.engine.finishRecording(id)
  expect(recording).toMatchObject({ parts: 2, partial: false })
  expect(recording!.duration).toBeCloseTo(7, 0)
  const mp4 = filesOf(recording, 'mp4')
  expect(mp4.map((path) => path.split('/').at(-1))).toEqual(['recording.mp4', 'recording-2.mp4'])
  expect(await pictureHashes(mp4[0]!)).toEqual(await pictureHashes(clip))
  expect(await pictureHashes(mp4[1]!)).toEqual(await pictureHashes(otherClip))
  const [playlist] = filesOf(recording, 'm3u8')
  const text = await readFile(playlist!, 'utf8')
  expect(text.match(/#EXT-X-DISCONTINUITY\n/g)).toHaveLength(1)
  expect(text).toContain('segments-2.m4s')
  expect(Math.abs((await probe(playlist!)).duration - 7)).toBeLessThan(1)
  expect(Math.abs((await probe(filesOf(recording, 'flv')[0]!)).duration - 7)).toBeLessThan(1)
  await host.close()
})

test('the stream ends when the grace period passes, also with a silent encoder connected', async () => {
  const host = await startMediaHost(join(base, id), { graceMs: 700 })
  await burst(host, tags)
  const silent = await publishing(host)
  await host.event(`stop ${id} timeout`)
  expect(await silent.status('NetStream.Publish.BadName')).toBe('The stream has ended.')
  expect(host.events).not.toContain(`reconnect ${id}`)
  await expect(publishing(host)).rejects.toThrow('The stream has ended.')
  await host.close()
})

test('a connection that died without a word is replaced, and one without media is closed', async () => {
  const host = await startMediaHost(join(base, id), { takeoverMs: 300, publisherIdleMs: 1_500 })
  const dead = await publishing(host)
  sendTags(dead, tags)
  await host.event(`start ${id}`)
  await new Promise((resolve) => setTimeout(resolve, 400))
  const next = await publishing(host)
  expect(await dead.status('NetStream.Publish.BadName')).toBe('Another publisher took over.')
  sendTags(next, tags)
  await host.event(`reconnect ${id}`)
  await next.status('NetStream.Publish.Idle')
  await expect.poll(() => host.engine.status(id)).toBe('interrupted')
  await host.close()
})

test('an orderly restart of the server goes on with the stream and loses nothing', async () => {
  const first = await startMediaHost(join(base, id))
  await burst(first, tags)
  const before = (await first.engine.handleHls(id, { path: 'index.m3u8' }))!.body!.toString()
  await first.close()
  const second = await startMediaHost(join(base, id))
  expect(second.engine.status(id)).toBe('interrupted')
  await burst(second, tags)
  expect(second.events[0]).toBe(`reconnect ${id}`)
  const after = (await second.engine.handleHls(id, { path: 'index.m3u8' }))!.body!.toString()
  const sequence = (text: string) => Number(/#EXT-X-MEDIA-SEQUENCE:(\d+)/.exec(text)![1])
  expect(sequence(after)).toBeGreaterThan(sequence(before) + 1)
  await second.engine.stop(id)
  const recording = await second.engine.finishRecording(id)
  expect(recording).toMatchObject({ parts: 1, partial: false, missing: [] })
  const source = await pictureHashes(clip)
  expect(await pictureHashes(filesOf(recording, 'mp4')[0]!)).toEqual([...source, ...source])
  await second.close()
})

test('after kill -9 during a live stream the torn recording is repaired, said to be partial, and plays', async () => {
  const folder = join(base, id)
  const program = fileURLToPath(new URL('../../../test/media/media-process.ts', import.meta.url))
  const server = spawn(process.execPath, ['--import', import.meta.resolve('tsx'), program, folder])
  const [line] = (await once(server.stdout, 'data')) as [Buffer]
  const port = /port (\d+)/.exec(line.toString())![1]
  const encoder = startPublisher(clip, `rtmp://127.0.0.1:${port}/live/${id}?key=${streamKey}`, 'live')
  await new Promise((resolve) => setTimeout(resolve, 3_000))
  server.kill('SIGKILL')
  await once(server, 'close')
  encoder.kill('SIGKILL')
  // Half a frame, as a crash of the machine leaves it.
  await appendFile(join(folder, id, 'source.flv'), Buffer.from([9, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0x27, 1, 0]))

  const host = await startMediaHost(folder, { graceMs: 500 })
  expect(host.engine.status(id)).toBe('interrupted')
  await host.event(`stop ${id} timeout`)
  expect(await host.engine.endedStreams()).toEqual([id])
  const recording = await host.engine.finishRecording(id)
  expect(recording!.partial).toBe(true)
  expect(recording!.missing.join(' ')).toMatch(/stopped unexpectedly.*14 bytes/)
  expect(recording!.duration).toBeGreaterThan(0.5)
  expect(recording!.duration).toBeLessThan(4)
  for (const kind of ['flv', 'mp4', 'm3u8']) {
    const { duration, videoFrames } = await probe(filesOf(recording, kind)[0]!)
    expect(Math.abs(duration - recording!.duration)).toBeLessThan(1)
    expect(videoFrames).toBeGreaterThan(15)
  }
  // Asking again gives the same, without making it anew.
  expect(await host.engine.finishRecording(id)).toEqual(recording)
  await host.close()
})
