// needs: ffmpeg
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  ffmpeg,
  makeClip,
  pictureHashes,
  probe,
  publish,
  readFlv,
  sendTags,
  splitFlv,
  startPublisher,
  type FlvTag,
} from '../../../test/media/clips.ts'
import { startMediaHost, streamKey, type MediaHost } from '../../../test/media/media-host.ts'
import { connectRtmp } from '../../../test/media/rtmp-client.ts'
import type { Recording } from './engine.ts'

let base: string
let clip: string
let tags: FlvTag[]
let host: MediaHost
let count = 0
let id: string

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'media-'))
  clip = await makeClip(join(base, 'clip.flv'), { seconds: 6 })
  tags = await readFlv(clip)
  host = await startMediaHost(join(base, 'streams'), { lingerMs: 5_000 })
})

afterAll(async () => {
  await host?.close()
  await rm(base, { recursive: true, force: true })
})

beforeEach(() => void (id = `stream${++count}`))

function fileOf(recording: Recording | null, kind: string): string {
  const file = recording?.files.find((candidate) => candidate.kind === kind)
  if (!file) throw new Error(`no ${kind} in the recording`)
  return file.path
}

async function publishing(name = id) {
  const client = await connectRtmp(host.engine.rtmpPort())
  await client.publish(`${name}?key=${streamKey}`)
  return client
}

async function text(name: string): Promise<string> {
  return (await fetch(host.http(id, name))).text()
}

test('a clip that ffmpeg publishes is seen over HLS, HTTP-FLV and RTMP while live, and all recordings play', async () => {
  const encoder = startPublisher(clip, host.rtmp(id), 'live')
  await host.event(`start ${id}`)
  const limit = ['-read_intervals', '%+1']
  const [hls, flv, rtmp] = await Promise.all([
    probe(host.http(id, 'index.m3u8'), ...limit),
    probe(host.http(id, 'live.flv'), ...limit),
    probe(`rtmp://127.0.0.1:${host.engine.rtmpPort()}/live/${id}`, ...limit),
  ])
  for (const seen of [hls, flv, rtmp]) {
    expect(seen.streams).toContainEqual(
      expect.objectContaining({ codec_name: 'h264', width: 320, height: 180 }),
    )
    expect(seen.streams).toContainEqual(expect.objectContaining({ codec_name: 'aac' }))
    expect(seen.videoFrames).toBeGreaterThan(10)
  }
  const picture = await host.engine.thumbnail(id, 160)
  expect(await sharp(picture!).metadata()).toMatchObject({ format: 'jpeg', width: 160, height: 90 })
  expect((await sharp(picture!).stats()).entropy).toBeGreaterThan(2)
  expect(host.engine.status(id)).toBe('live')
  await new Promise((resolve) => encoder.once('close', resolve))
  await host.event(`interrupted ${id} clean`)
  expect(await text('index.m3u8')).not.toContain('#EXT-X-ENDLIST')
  await host.engine.stop(id)
  expect(await text('index.m3u8')).toContain('#EXT-X-ENDLIST')
  expect(host.events.filter((event) => event.includes(id))).toEqual([
    `start ${id}`,
    `interrupted ${id} clean`,
    `stop ${id} stopped`,
  ])

  const recording = await host.engine.finishRecording(id)
  expect(recording).toMatchObject({ streamId: id, partial: false, missing: [], parts: 1 })
  expect(recording!.duration).toBeCloseTo(6, 0)
  expect(recording!.stopTime.getTime() - recording!.startTime.getTime()).toBeGreaterThan(4_000)
  const source = await pictureHashes(clip)
  for (const kind of ['flv', 'mp4', 'm3u8']) {
    const path = fileOf(recording, kind)
    const { duration, streams } = await probe(path)
    expect(Math.abs(duration - 6)).toBeLessThan(1)
    expect(streams.map((stream) => stream.codec_name).sort()).toEqual(['aac', 'h264'])
    expect(await pictureHashes(path)).toEqual(source)
  }
  expect(host.logged()).not.toContain(streamKey)
}, 40_000)

test('recordings can be sought', async () => {
  const client = await publishing()
  sendTags(client, tags)
  sendTags(client, tags.slice(3), 6_033)
  await host.event(`start ${id}`)
  client.close()
  await host.event(`interrupted ${id}`)
  await host.engine.stop(id)
  const recording = await host.engine.finishRecording(id)
  const all = await pictureHashes(clip)
  for (const kind of ['flv', 'mp4']) {
    const frame = ['-map', '0:v', '-frames:v', '1', '-f', 'framemd5', '-']
    const said = await ffmpeg('-ss', '4', '-i', fileOf(recording, kind), ...frame)
    const hash = said.trim().split('\n').at(-1)!.split(',').at(-1)!.trim()
    expect(Math.abs(all.indexOf(hash) - 120)).toBeLessThan(4)
  }
  const mp4 = await readFile(fileOf(recording, 'mp4'))
  expect(mp4.indexOf('moov')).toBeLessThan(mp4.indexOf('mdat'))
  const flv = splitFlv(await readFile(fileOf(recording, 'flv')))
  expect(flv[0]!.payload.includes('filepositions')).toBe(true)

  // ffmpeg itself cannot seek in HLS of fragmented MP4; a segment alone must play from its first picture.
  const playlist = await readFile(fileOf(recording, 'm3u8'), 'utf8')
  const ranges = [...playlist.matchAll(/BYTERANGE[:=]"?(\d+)@(\d+)/g)].map((match) => [
    Number(match[1]),
    Number(match[2]),
  ])
  expect(ranges.length).toBeGreaterThanOrEqual(3)
  const segments = await readFile(fileOf(recording, 'segments'))
  const [init, , second] = ranges.map(([length, offset]) => segments.subarray(offset, offset! + length!))
  const alone = join(base, 'alone.mp4')
  await writeFile(alone, Buffer.concat([init!, second!]))
  expect((await pictureHashes(alone)).slice(0, 100)).toEqual(all.slice(0, 100))
})

describe('refused', () => {
  test('a wrong key, with an RTMP error that ffmpeg shows', async () => {
    const { code, said } = await publish(clip, host.rtmp(id, 'wrong-key-0815'))
    expect(code).not.toBe(0)
    expect(said).toContain('The stream key is not valid.')
    const client = await connectRtmp(host.engine.rtmpPort())
    await expect(client.publish(`${id}?key=wrong-key-0815`)).rejects.toThrow('NetStream.Publish.BadName')
    await client.closed()
    expect(host.engine.status(id)).toBeNull()
    expect(host.logged()).not.toContain('wrong-key-0815')
  })

  test('a second publisher of a stream that has one, until the first is silent', async () => {
    const first = await publishing()
    sendTags(first, tags)
    await host.event(`start ${id}`)
    await expect(publishing()).rejects.toThrow('The stream already has a publisher.')
    first.close()
    await host.event(`interrupted ${id} lost`)
    const second = await publishing()
    second.close()
  })

  test('a stream that has ended, also when nothing of it is in memory any more', async () => {
    const client = await publishing()
    sendTags(client, tags)
    await host.event(`start ${id}`)
    await host.engine.stop(id)
    await client.status('NetStream.Publish.BadName')
    await client.closed()
    await expect(publishing()).rejects.toThrow('The stream has ended.')
  })

  test('MP3 sound', async () => {
    const mp3 = join(base, 'mp3.flv')
    await ffmpeg('-i', clip, '-c:v', 'copy', '-c:a', 'libmp3lame', '-f', 'flv', mp3)
    const encoder = startPublisher(mp3, host.rtmp(id), 'live')
    let said = ''
    encoder.stderr?.on('data', (data: Buffer) => (said += data.toString()))
    await host.event(`codec ${id} MP3`)
    await new Promise((resolve) => encoder.once('close', resolve))
    expect(said).toContain('Only H.264 and AAC are supported, not MP3')
    expect(host.events).not.toContain(`start ${id}`)
  })

  test.each([
    ['HEVC in the old header', Buffer.from([0x1c, 0, 0, 0, 0, 1]), 'HEVC'],
    ['HEVC in the extended header', Buffer.from([0x90, ...Buffer.from('hvc1'), 1, 2, 3]), 'HEVC'],
    ['AV1', Buffer.from([0x90, ...Buffer.from('av01'), 1, 2, 3]), 'AV1'],
    ['H.264 with broken settings', Buffer.from([0x17, 0, 0, 0, 0, 1, 2, 3]), 'H.264 with settings'],
  ])('%s', async (_name, payload, codec) => {
    const client = await publishing()
    client.send(9, 0, payload)
    expect(await client.status('NetStream.Publish.Denied')).toContain(codec)
    await client.closed()
    await host.event(`codec ${id} ${codec}`)
    // The encoder may try again with a codec we carry.
    const second = await publishing()
    sendTags(second, tags)
    await host.event(`start ${id}`)
    second.close()
  })

  test('players whom the owner refuses, and streams that are not live', async () => {
    const client = await connectRtmp(host.engine.rtmpPort())
    host.barred.add('refused')
    await expect(client.play(`${id}?viewer=refused`)).rejects.toThrow('Not for you.')
    const other = await connectRtmp(host.engine.rtmpPort())
    await expect(other.play(id)).rejects.toThrow('The stream is not live.')
    expect((await fetch(host.http(id, 'live.flv'))).status).toBe(404)
    expect((await fetch(host.http(id, 'index.m3u8'))).status).toBe(404)
  })
})

test('players who may not watch any more are cut off when asked again, and nobody else', async () => {
  const encoder = await publishing()
  sendTags(encoder, tags)
  await host.event(`start ${id}`)
  const over = (viewer: string) => fetch(`${host.http(id, 'live.flv')}?viewer=${viewer}`)
  const [barredFlv, otherFlv] = await Promise.all([over('gone'), over('stays')])
  const [barredRtmp, otherRtmp] = await Promise.all(
    ['gone', 'stays'].map(async (viewer) => {
      const player = await connectRtmp(host.engine.rtmpPort())
      await player.play(`${id}?viewer=${viewer}`)
      return player
    }),
  )
  await host.engine.recheck(id)
  expect(host.engine.playerCount(id)).toBe(4)
  host.barred.add('gone')
  await host.engine.recheck(id)
  await barredFlv!.arrayBuffer().catch(() => undefined)
  expect(await barredRtmp!.status('NetStream.Play.UnpublishNotify')).toMatch(/cannot be watched/)
  await barredRtmp!.closed()
  expect(host.engine.playerCount(id)).toBe(2)
  await host.engine.stop(id)
  expect(await otherRtmp!.status('NetStream.Play.UnpublishNotify')).toMatch(/has ended/)
  await otherFlv!.arrayBuffer()
  encoder.close()
})

test('sound alone and pictures alone are carried and recorded', async () => {
  const only = async (type: number, name: string) => {
    const client = await publishing(name)
    sendTags(
      client,
      tags.filter((tag) => tag.type === type),
    )
    await host.event(`start ${name}`)
    client.close()
    await host.event(`interrupted ${name}`)
    await host.engine.stop(name)
    const recording = await host.engine.finishRecording(name)
    return Promise.all(['flv', 'mp4', 'm3u8'].map((kind) => probe(fileOf(recording, kind))))
  }
  for (const { streams, duration } of await only(8, `${id}a`)) {
    expect(streams.map((stream) => stream.codec_type)).toEqual(['audio'])
    expect(Math.abs(duration - 6)).toBeLessThan(1)
  }
  for (const { streams, duration } of await only(9, `${id}v`)) {
    expect(streams.map((stream) => stream.codec_type)).toEqual(['video'])
    expect(Math.abs(duration - 6)).toBeLessThan(1)
  }
})

test('an FLV player who joins begins with a keyframe', async () => {
  const client = await publishing()
  sendTags(client, tags.slice(0, -40))
  await host.event(`start ${id}`)
  const response = await fetch(host.http(id, 'live.flv'))
  expect(response.headers.get('content-type')).toBe('video/x-flv')
  await expect.poll(() => host.engine.playerCount(id)).toBe(1)
  sendTags(client, tags.slice(-40))
  client.close()
  await host.event(`interrupted ${id}`)
  await host.engine.stop(id)
  const got = splitFlv(Buffer.from(await response.arrayBuffer()))
  const video = got.filter((tag) => tag.type === 9)
  expect(got[0]!.type).toBe(18)
  expect(video[0]!.payload.subarray(0, 2)).toEqual(Buffer.from([0x17, 0]))
  expect(video[1]!.payload.subarray(0, 2)).toEqual(Buffer.from([0x17, 1]))
  const times = video.map((tag) => tag.timestamp)
  expect(times).toEqual([...times].sort((a, b) => a - b))
  expect(times.at(-1)).toBe(tags.filter((tag) => tag.type === 9).at(-2)!.timestamp)
})

test('live segments stay bounded on disk and signed queries reach every address', async () => {
  const client = await publishing()
  for (let round = 0; round < 10; round++) sendTags(client, round === 0 ? tags : tags.slice(3), round * 6_033)
  await host.event(`start ${id}`)
  client.close()
  await host.event(`interrupted ${id}`)
  const answer = await host.engine.handleHls(id, { path: 'index.m3u8', carryQuery: 'sig=abc&exp=1' })
  const all = answer!.body!.toString().split('\n')
  const lines = all.filter((line) => !line.includes('PRELOAD-HINT'))
  const addresses = lines.flatMap(
    (line) => /URI="([^"]+)"/.exec(line)?.[1] ?? (/^[^#]/.test(line) ? [line] : []),
  )
  expect(addresses.length).toBeGreaterThan(10)
  for (const address of addresses) {
    expect(address).toMatch(/\?sig=abc&exp=1$/)
    const part = await host.engine.handleHls(id, { path: address.split('?')[0]! })
    expect(part?.contentType).toBe('video/mp4')
    part?.stream?.destroy()
  }
  expect(lines.filter((line) => line.startsWith('segment-'))).toHaveLength(8)
  const files = await readdir(join(base, 'streams', id, 'live'))
  expect(files.length).toBeLessThanOrEqual(12)
  for (const path of [
    '../source.flv',
    'segment-0.m4s',
    'segment-99999.m4s',
    'init-5.mp4',
    'part-1-1.m4s',
    '',
  ]) {
    expect(await host.engine.handleHls(id, { path })).toBeNull()
  }
})

test('forgetting a stream leaves nothing behind', async () => {
  const client = await publishing()
  sendTags(client, tags)
  await host.event(`start ${id}`)
  await host.engine.forget(id)
  expect(host.engine.status(id)).toBeNull()
  expect(await readdir(join(base, 'streams'))).not.toContain(id)
  expect(await host.engine.finishRecording(id)).toBeNull()
})
