import { expect, test } from 'vitest'
import { encodeTag, type MediaTag } from '../flv/tag.ts'
import { createFragmenter, type Part } from './fragmenter.ts'
import type { Sample } from './fragment.ts'
import { createSampler } from './sampler.ts'
import type { TrackConfigs } from './track-box.ts'

const record = Buffer.alloc(2)
const audio = { codec: 'mp4a.40.2', sampleRate: 48_000, channels: 2, frameSamples: 1024, record }
const video = { codec: 'avc1.640028', width: 64, height: 64, lengthSize: 4, record, sps: [], pps: [] }
const both: TrackConfigs = { video, audio }

const tag = (kind: 'audio' | 'video', timestamp: number, key = false): MediaTag => ({
  kind,
  timestamp,
  key,
  config: false,
  compositionTime: 0,
  bytes: encodeTag(kind === 'audio' ? 8 : 9, timestamp, Buffer.alloc(50)),
})

function cut(tracks: TrackConfigs, tags: MediaTag[], keepTail = true) {
  const parts: Part[] = []
  const segments: { startMs: number; duration: number; parts: number }[] = []
  let before = 0
  const fragmenter = createFragmenter(
    tracks,
    { segmentMs: 2_000, partMs: 500 },
    {
      part: (part) => parts.push(part),
      segment(startMs, duration) {
        segments.push({ startMs, duration, parts: parts.length - before })
        before = parts.length
      },
    },
  )
  for (const one of tags) fragmenter.add(one)
  fragmenter.finish(keepTail)
  return { parts, segments }
}

const frames = (seconds: number, keyEvery: number) =>
  Array.from({ length: seconds * 25 }, (_, index) => tag('video', index * 40, index % keyEvery === 0))

test('segments begin at keyframes once they are long enough, parts stay below their length', () => {
  const { parts, segments } = cut(both, frames(6, 25))
  expect(segments.map((segment) => segment.startMs)).toEqual([0, 2_000, 4_000])
  expect(segments.map((segment) => segment.duration)).toEqual([2, 2, 2])
  for (const part of parts) expect(part.duration).toBeLessThanOrEqual(0.5)
  expect(parts[0]!.independent).toBe(true)
  expect(parts[1]!.independent).toBe(false)
})

test('a stream without further keyframes is cut all the same', () => {
  const { segments } = cut(both, frames(30, 10_000))
  expect(segments.map((segment) => segment.startMs)).toEqual([0, 12_000, 24_000])
})

test('when pictures stop, sound alone still makes parts and segments', () => {
  const sound = Array.from({ length: 1_000 }, (_, index) => tag('audio', 1_000 + index * 21))
  const { parts, segments } = cut(both, [...frames(1, 25), ...sound])
  expect(segments.length).toBeGreaterThan(1)
  expect(Math.max(...parts.map((part) => part.duration))).toBeLessThan(2)
})

test('sound alone is cut by time', () => {
  const sound = Array.from({ length: 300 }, (_, index) => tag('audio', Math.round(index * 21.333)))
  const { segments } = cut({ video: null, audio }, sound)
  expect(segments.map((segment) => Math.round(segment.startMs / 1_000))).toEqual([0, 2, 4, 6])
})

test('a short tail is kept for recordings and left out live', () => {
  const tags = [...frames(2, 25), tag('video', 2_000, true), tag('video', 2_040)]
  expect(cut(both, tags, true).segments).toHaveLength(2)
  expect(cut(both, tags, false).segments).toHaveLength(1)
})

test('AAC frames have their exact length though FLV counts whole milliseconds', () => {
  const samples: Sample[] = []
  const sampler = createSampler(both, (sample) => samples.push(sample))
  for (let index = 0; index < 100; index++)
    sampler.add(tag('audio', Math.round((index * 1024 * 1000) / 48_000)))
  sampler.finish()
  expect(samples.map((sample) => sample.decodeTime)).toEqual(samples.map((_, index) => index * 1024))
})

test('missing sound stays a gap, surplus sound is squeezed, and time never goes back', () => {
  const samples: Sample[] = []
  const sampler = createSampler(both, (sample) => samples.push(sample))
  sampler.add(tag('audio', 0))
  sampler.add(tag('audio', 1_000))
  for (let index = 0; index < 300; index++) sampler.add(tag('audio', 1_001 + index * 15))
  sampler.finish()
  expect(samples[1]!.decodeTime).toBe(48_000)
  for (let index = 1; index < samples.length; index++) {
    expect(samples[index]!.decodeTime).toBeGreaterThan(samples[index - 1]!.decodeTime)
    expect(samples[index - 1]!.duration).toBe(samples[index]!.decodeTime - samples[index - 1]!.decodeTime)
  }
  const behind = samples.at(-1)!.decodeTime / 48 - samples.at(-1)!.startMs
  expect(Math.abs(behind)).toBeLessThan(200)
})
