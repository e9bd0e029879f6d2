import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { probeVideo } from './probe-video.ts'
import { sniffType } from './sniff-type.ts'

const fixture = (name: string) =>
  fileURLToPath(new URL(`../../../test/fixtures/media/${name}`, import.meta.url))
let dir: string
beforeAll(async () => void (dir = await mkdtemp(join(tmpdir(), 'media-'))))
afterAll(() => rm(dir, { recursive: true }))

const file = async (name: string, bytes: Buffer | string) => {
  await writeFile(join(dir, name), bytes)
  return join(dir, name)
}

test.each([
  ['clip.mp4', 'video/mp4', 'mp4'],
  ['clip.mov', 'video/quicktime', 'mov'],
  ['clip.webm', 'video/webm', 'webm'],
  ['clip.mkv', 'video/x-matroska', 'mkv'],
  ['tone.mp3', 'audio/mpeg', 'mp3'],
  ['tone.ogg', 'audio/ogg', 'ogg'],
  ['endless.m4a', 'audio/mp4', 'm4a'],
])('%s is %s, from its path and from its head', async (name, mimeType, extension) => {
  expect(await sniffType(fixture(name))).toEqual({ mimeType, extension })
  expect(await sniffType((await readFile(fixture(name))).subarray(0, 4100))).toEqual({ mimeType, extension })
})

test('types come from the content alone', async () => {
  const png = await sharp({ create: { width: 2, height: 2, channels: 3, background: '#000' } })
    .png()
    .toBuffer()
  expect(await sniffType(await file('lies.mp4', png))).toEqual({ mimeType: 'image/png', extension: 'png' })
  expect(await sniffType(Buffer.from('%PDF-1.7\n%âãÏÓ\n'))).toEqual({
    mimeType: 'application/pdf',
    extension: 'pdf',
  })
  for (const text of ['', 'a', 'hello, world', 'a,b\n1,2\n', '<!doctype html><script>', '<svg xmlns="x"/>']) {
    expect(await sniffType(Buffer.from(text))).toBeNull()
    expect(await sniffType(await file('text.png', text))).toBeNull()
  }
  await expect(sniffType(join(dir, 'absent'))).rejects.toMatchObject({ code: 'ENOENT' })
})

describe('probeVideo', () => {
  const both = { width: 64, height: 48, hasAudio: true, videoCodec: 'avc', audioCodec: 'aac' }
  const sound = { width: null, height: null, hasAudio: true, videoCodec: null }
  test.each([
    ['clip.mp4', both],
    ['clip.mov', both],
    ['clip.mkv', both],
    ['clip.webm', { ...both, videoCodec: 'vp8', audioCodec: 'opus' }],
    ['upright.mp4', { ...both, width: 48, height: 64 }],
    ['silent.mp4', { ...both, hasAudio: false, audioCodec: null }],
    ['tone.mp3', { ...sound, audioCodec: 'mp3' }],
    ['tone.ogg', { ...sound, audioCodec: 'vorbis' }],
  ])('%s', async (name, expected) => {
    const { durationSeconds, ...rest } = (await probeVideo(fixture(name)))!
    expect(rest).toEqual(expected)
    expect(durationSeconds).toBeGreaterThan(0.99)
    expect(durationSeconds).toBeLessThan(1.06)
  })

  test('WAV', async () => {
    const header = Buffer.from(
      'RIFF\0\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x40\x1f\0\0\x40\x1f\0\0\x01\0\x08\0data\0\0\0\0',
      'latin1',
    )
    header.writeUInt32LE(36 + 16_000, 4)
    header.writeUInt32LE(16_000, 40)
    const path = await file('tone.wav', Buffer.concat([header, Buffer.alloc(16_000, 128)]))
    expect(await sniffType(path)).toEqual({ mimeType: 'audio/wav', extension: 'wav' })
    expect(await probeVideo(path)).toEqual({ ...sound, durationSeconds: 2, audioCodec: 'pcm-u8' })
  })

  test('what cannot be read is null, and the next file is fine', async () => {
    const clip = await readFile(fixture('clip.mp4'))
    const playlist = `#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n${fixture('clip.mp4')}\n#EXT-X-ENDLIST\n`
    for (const bytes of [
      '',
      'hello',
      clip.subarray(0, 1500),
      clip.subarray(3000),
      Buffer.alloc(100_000, 0xff),
      playlist,
    ]) {
      expect(await probeVideo(await file('bad', bytes))).toBeNull()
    }
    expect(await probeVideo(join(dir, 'absent'))).toBeNull()
    expect(await probeVideo(fixture('clip.mp4'))).toMatchObject(both)
  })

  test(
    'a file that would keep the reader busy is given up while everything else goes on',
    { timeout: 30_000 },
    async () => {
      let worst = 0
      let last = performance.now()
      const beat = setInterval(() => {
        worst = Math.max(worst, performance.now() - last)
        last = performance.now()
      }, 10)
      const [stuck, next] = await Promise.all([
        probeVideo(fixture('endless.m4a')),
        probeVideo(fixture('clip.mp4')),
      ])
      clearInterval(beat)
      expect(stuck).toBeNull()
      expect(next).toMatchObject(both)
      expect(worst).toBeLessThan(2000)
    },
  )
})
