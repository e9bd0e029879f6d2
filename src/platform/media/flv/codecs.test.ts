import { describe, expect, test } from 'vitest'
import { parseAacConfig } from './aac-config.ts'
import { decodeAmf0, encodeAmf0, encodeEcmaArray } from './amf0.ts'
import { parseAvcConfig } from './avc-config.ts'
import { readMetadata } from './script.ts'
import { classifyAudio, classifyVideo, refusedCodec } from './tag.ts'

describe('H.264 settings', () => {
  // Made by libx264: High and cropped from 1088 lines; Main; Baseline; High 4:2:2 with cropping; interlaced.
  test.each([
    [
      '01640028ffe1001b67640028acd940780227e5c044000003000400000300c83c60c65801000668ebe3cb22c0fdf8f800',
      1920,
      1080,
    ],
    ['014d401effe10018674d401eeca05017fcb808800000030080000019078b16cb01000568ebe3cb20', 640, 360],
    ['0142c00dffe100186742c00dd90141fb011000000300100000030320f142a48001000568cb83cb20', 320, 240],
    [
      '017a001effe1001b677a001ebcd940b435ea3f011000000300100000030320f162d96001000668ebe3cb22c0fef8f800',
      718,
      402,
    ],
    [
      '01640016ffe1001967640016acd940b424d808800000030100000300190f8a14cb01000668fba3cb22c0fdf8f800',
      720,
      576,
    ],
  ])('%s', (hex, width, height) => {
    const config = parseAvcConfig(Buffer.from(hex, 'hex'))
    expect(config).toMatchObject({ width, height, lengthSize: 4 })
    expect(config.codec).toMatch(/^avc1\.[0-9a-f]{6}$/)
  })

  test.each(['', '00', '0164002aff', '0164002affe000', '0164002affe1ffff67', '0164002afee10004676400'])(
    'broken: %s',
    (hex) => expect(() => parseAvcConfig(Buffer.from(hex, 'hex'))).toThrow(),
  )
})

describe('AAC settings', () => {
  test.each([
    ['1210', { codec: 'mp4a.40.2', sampleRate: 44_100, channels: 2, frameSamples: 1024 }],
    ['1188', { codec: 'mp4a.40.2', sampleRate: 48_000, channels: 1, frameSamples: 1024 }],
    // HE-AAC: SBR over a core of 24 kHz.
    ['2b118800', { codec: 'mp4a.40.5', sampleRate: 24_000, channels: 2 }],
    ['121056e500', { codec: 'mp4a.40.2', sampleRate: 44_100 }],
    ['1214', { frameSamples: 960 }],
  ])('%s', (hex, expected) => {
    expect(parseAacConfig(Buffer.from(hex, 'hex'))).toMatchObject(expected)
  })

  test.each(['', '12', 'ffff', '1780', 'fa00'])('broken or another codec: %s', (hex) => {
    expect(() => parseAacConfig(Buffer.from(hex, 'hex'))).toThrow()
  })
})

test('what tags hold', () => {
  const video = (...bytes: number[]) => classifyVideo(Buffer.from(bytes))
  expect(video(0x17, 1, 0, 0, 40, 9)).toEqual({ use: 'media', key: true, config: false, compositionTime: 40 })
  expect(video(0x27, 1, 0xff, 0xff, 0xff, 9)).toMatchObject({ key: false, compositionTime: -1 })
  expect(video(0x17, 0, 0, 0, 0, 1)).toMatchObject({ config: true, key: false })
  expect(video(0x17, 2, 0, 0, 0)).toEqual({ use: 'ignore' })
  expect(video(0x57, 0)).toEqual({ use: 'ignore' })
  expect(video()).toEqual({ use: 'ignore' })
  expect(video(0x12, 0)).toEqual({ use: 'refuse', codec: 'Sorenson H.263' })
  const audio = (...bytes: number[]) => classifyAudio(Buffer.from(bytes))
  expect(audio(0xaf, 1, 5)).toMatchObject({ use: 'media', config: false })
  expect(audio(0xaf, 0, 0x12, 0x10)).toMatchObject({ use: 'media', config: true })
  expect(audio(0xaf, 1)).toEqual({ use: 'ignore' })
  expect(audio(0x2f, 1)).toEqual({ use: 'refuse', codec: 'MP3' })
  expect(audio(0xbe, 1)).toEqual({ use: 'refuse', codec: 'Speex' })
})

test('codecs announced by number', () => {
  expect(refusedCodec('video', 7)).toBeNull()
  expect(refusedCodec('audio', 10)).toBeNull()
  expect(refusedCodec('audio', 2)).toBe('MP3')
  expect(refusedCodec('video', 0x68766331)).toBe('HEVC')
  expect(refusedCodec('video', 'avc1')).toBeNull()
  expect(refusedCodec('audio', 0)).toBeNull()
})

describe('AMF0', () => {
  test('values survive the way there and back', () => {
    const values = [
      'publish',
      3,
      null,
      undefined,
      true,
      'ü'.repeat(40_000),
      [1, 'a'],
      { a: { b: -1.5 }, '': 'x' },
    ]
    expect(decodeAmf0(encodeAmf0(...values))).toEqual(values)
    expect(decodeAmf0(encodeEcmaArray({ width: 5 }))).toEqual([{ width: 5 }])
  })

  test.each([
    ['an unknown marker', '0d'],
    ['a cut number', '00ffff'],
    ['a cut string', '020005aa'],
    ['an object without end', '030001610100'],
    ['a list longer than its body', '0affffffff05'],
    ['endless nesting', '0a00000001'.repeat(50)],
    ['endless values', '05'.repeat(3_000)],
  ])('%s', (_name, hex) => {
    expect(() => decodeAmf0(Buffer.from(hex, 'hex'))).toThrow(
      expect.objectContaining({ name: 'RtmpProtocolError' }),
    )
  })

  test('keys cannot reach a prototype', () => {
    const [value] = decodeAmf0(encodeAmf0(JSON.parse('{"__proto__":{"polluted":1}}')))
    expect(Object.getPrototypeOf(value)).toBeNull()
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
  })
})

test('of an encoder only facts for players are kept', () => {
  const sent = {
    width: 640,
    framerate: Number.NaN,
    stereo: true,
    encoder: 'secret host name',
    videocodecid: 7,
  }
  expect(readMetadata(['@setDataFrame', 'onMetaData', sent])).toEqual({
    fields: { width: 640, stereo: true },
    refused: null,
  })
  expect(readMetadata(['onMetaData', { audiocodecid: 2 }])?.refused).toBe('MP3')
  expect(readMetadata(['onCuePoint', {}])).toBeNull()
})
