import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createFlusher, createWriter } from './writer.ts'

function outletOf(writableLength = 0) {
  const written: Buffer[] = []
  return { written, writableLength, write: (chunk: Buffer) => written.push(chunk) > 0 }
}

const open = { maxBufferedBytes: 1_000_000, onOverflow: () => expect.fail('overflow') }

describe('joined writes', () => {
  it('joins what many sockets get into one shared buffer each interval, in order', async () => {
    const flusher = createFlusher(5)
    const outlets = Array.from({ length: 3_000 }, () => outletOf())
    const writers = outlets.map((outlet) => createWriter(outlet, flusher, open))
    for (const text of ['a', 'b', 'c']) {
      const chunk = Buffer.from(text)
      for (const writer of writers) writer.push(chunk)
    }
    expect(outlets[0]?.written).toEqual([])
    await sleep(60)
    expect(outlets.every(({ written }) => written.length === 1 && String(written[0]) === 'abc')).toBe(true)
    expect(new Set(outlets.map(({ written }) => written[0])).size).toBe(1)
  })

  it('keeps queues apart where they differ', async () => {
    const flusher = createFlusher(1)
    const outlets = Array.from({ length: 40 }, () => outletOf())
    const writers = outlets.map((outlet) => createWriter(outlet, flusher, open))
    for (let round = 0; round < 8; round++) {
      const chunk = Buffer.from(String(round))
      for (const [i, writer] of writers.entries()) if ((i >> (round % 5)) & 1 || round > 5) writer.push(chunk)
      if (round === 3) await sleep(10)
    }
    await sleep(20)
    for (const [i, { written }] of outlets.entries()) {
      const expected = [0, 1, 2, 3, 4, 5, 6, 7].filter((round) => (i >> (round % 5)) & 1 || round > 5)
      expect(Buffer.concat(written).toString()).toBe(expected.join(''))
    }
  })

  it('writes at once when much is waiting', () => {
    const outlet = outletOf()
    const writer = createWriter(outlet, createFlusher(1_000), open)
    writer.push(Buffer.alloc(60_000))
    expect(outlet.written.length).toBe(0)
    writer.push(Buffer.alloc(10_000))
    expect(outlet.written.map((chunk) => chunk.length)).toEqual([70_000])
  })

  it('pushes made during a flush come out in the next', async () => {
    const flusher = createFlusher(1)
    const outlet = outletOf()
    const writer = createWriter(outlet, flusher, open)
    const echo = createWriter(
      { writableLength: 0, write: () => (writer.push(Buffer.from('2')), true) },
      flusher,
      open,
    )
    echo.push(Buffer.from('1'))
    await sleep(20)
    expect(String(outlet.written[0])).toBe('2')
  })

  it('stops a reader that falls behind, once, and forgets its queue', () => {
    let overflows = 0
    const outlet = outletOf(900)
    const writer = createWriter(outlet, createFlusher(1_000), {
      maxBufferedBytes: 1_000,
      onOverflow: () => overflows++,
    })
    writer.push(Buffer.alloc(100))
    writer.flush()
    expect(outlet.written.length).toBe(1)
    writer.push(Buffer.alloc(101))
    expect(writer.bufferedBytes()).toBe(1_001)
    writer.flush()
    writer.push(Buffer.alloc(200_000))
    expect([overflows, outlet.written.length, writer.bufferedBytes()]).toEqual([1, 1, 900])
  })

  it('lets one large event through to a socket that has nothing waiting', () => {
    const outlet = outletOf()
    const writer = createWriter(outlet, createFlusher(1_000), { ...open, maxBufferedBytes: 1_000 })
    writer.push(Buffer.alloc(100_000))
    expect(outlet.written.length).toBe(1)
  })
})
