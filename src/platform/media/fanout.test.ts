import { Writable } from 'node:stream'
import { expect, test, vi } from 'vitest'
import { createFanout, type PlayerSink } from './fanout.ts'
import { encodeTag, type MediaTag } from './flv/tag.ts'

function tag(timestamp: number, key = false, bytes = 1_000): MediaTag {
  return {
    kind: 'video',
    timestamp,
    key,
    config: false,
    compositionTime: 0,
    bytes: encodeTag(9, timestamp, Buffer.alloc(bytes, timestamp)),
  }
}

const config = { ...tag(0), config: true }
const limits = { playerBufferBytes: 10_000, slowPlayerMs: 60 }
const make = () =>
  createFanout(
    (sent) => sent.bytes,
    () => [config],
    limits,
  )

/** A real stream that takes bytes only while `open`. */
function sink() {
  let held: (() => void) | null = null
  const got: Buffer[] = []
  const state = { open: true }
  const writable = new Writable({
    highWaterMark: 1,
    write(chunk: Buffer, _encoding, done) {
      got.push(chunk)
      if (state.open) done()
      else held = done
    },
  })
  return {
    writable: writable as PlayerSink & Writable,
    state,
    bytes: () => Buffer.concat(got),
    release() {
      state.open = true
      held?.()
    },
  }
}

test('each player gets its greeting and then every tag, joined in rounds', () => {
  const fanout = make()
  const [one, two] = [sink(), sink()]
  const greeting = Buffer.from('hello')
  fanout.add(one.writable, [greeting], true)
  fanout.send(tag(1), false)
  fanout.add(two.writable, [greeting], true)
  fanout.send(tag(2), false)
  fanout.flush()
  expect(one.bytes()).toEqual(Buffer.concat([greeting, tag(1).bytes, tag(2).bytes]))
  expect(two.bytes()).toEqual(Buffer.concat([greeting, tag(2).bytes]))
})

test('a player without pictures yet begins with the settings and a keyframe', () => {
  const fanout = make()
  const player = sink()
  fanout.add(player.writable, [], false)
  fanout.send(tag(1), false)
  fanout.send(tag(2, true), true)
  fanout.send(tag(3), false)
  fanout.flush()
  expect(player.bytes()).toEqual(Buffer.concat([config.bytes, tag(2).bytes, tag(3).bytes]))
})

test('a player that falls behind misses frames up to a keyframe and never buffers more than its limit', () => {
  const fanout = make()
  const player = sink()
  fanout.add(player.writable, [], true)
  player.state.open = false
  for (let time = 0; time < 100; time++) {
    fanout.send(tag(time), false)
    fanout.flush()
    expect(player.writable.writableLength).toBeLessThanOrEqual(limits.playerBufferBytes + 1_015 * 2)
  }
  player.release()
  fanout.send(tag(100), false)
  fanout.send(tag(101, true), true)
  fanout.flush()
  const bytes = player.bytes()
  expect(bytes.subarray(-2_030)).toEqual(Buffer.concat([config.bytes, tag(101).bytes]))
  expect(bytes.length).toBeLessThan(20_000)
})

test('a player that stays behind is dropped', async () => {
  const fanout = make()
  const player = sink()
  fanout.add(player.writable, [], true)
  player.state.open = false
  await vi.waitFor(
    () => {
      fanout.send(tag(1, true), true)
      fanout.flush()
      expect(fanout.size()).toBe(0)
    },
    { timeout: 2_000, interval: 5 },
  )
  expect(player.writable.destroyed).toBe(true)
})
