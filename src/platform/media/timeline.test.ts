import { expect, test } from 'vitest'
import { createTimeline } from './timeline.ts'

test('time begins at zero wherever the encoder begins', () => {
  const timeline = createTimeline()
  expect(timeline.last()).toBe(-1)
  expect(timeline.map('video', 90_000)).toBe(0)
  expect(timeline.map('audio', 90_010)).toBe(10)
  expect(timeline.map('video', 90_033)).toBe(33)
  expect(timeline.last()).toBe(33)
})

test('a new connection goes on right after the old one', () => {
  const timeline = createTimeline()
  timeline.map('video', 0)
  timeline.map('video', 5_000)
  timeline.restart()
  expect(timeline.map('video', 700)).toBe(5_033)
  expect(timeline.map('audio', 710)).toBe(5_043)
})

test('the clock of a connection may wrap at 32 bits', () => {
  const timeline = createTimeline()
  const end = 2 ** 32
  expect(timeline.map('video', end - 20)).toBe(0)
  expect(timeline.map('video', 20)).toBe(40)
  expect(timeline.map('audio', end - 5)).toBe(15)
})

test.each([
  ['forward', 60_000],
  ['backward', -50_000],
])('a jump %s of the clock becomes no gap, for both tracks', (_name, jump) => {
  const timeline = createTimeline()
  timeline.map('audio', 100_000)
  timeline.map('video', 100_020)
  expect(timeline.map('video', 100_053 + jump)).toBe(53)
  expect(timeline.map('audio', 100_063 + jump)).toBe(63)
})

test('a real gap within bounds stays', () => {
  const timeline = createTimeline()
  timeline.map('video', 0)
  expect(timeline.map('video', 8_000)).toBe(8_000)
})

test('times of a track always grow', () => {
  const timeline = createTimeline()
  expect([0, 33, 33, 20, 66].map((time) => timeline.map('video', time))).toEqual([0, 33, 34, 35, 66])
})

test('a stream of a former process goes on after its last time', () => {
  const timeline = createTimeline(12_000)
  expect(timeline.map('video', 5)).toBe(12_033)
})
