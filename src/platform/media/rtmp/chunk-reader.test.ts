import { expect, test } from 'vitest'
import { tagPayload } from '../flv/tag.ts'
import { createChunkReader, type IncomingMessage } from './chunk-reader.ts'
import { encodeControl, encodeMessage } from './messages.ts'

function collect(limit = 1_000_000) {
  const messages: { type: number; timestamp: number; payload: Buffer }[] = []
  const reader = createChunkReader(limit, (message: IncomingMessage) =>
    messages.push({ type: message.type, timestamp: message.timestamp, payload: tagPayload(message.frame) }),
  )
  return { messages, reader }
}

const message = (timestamp: number, bytes: number, chunkStream = 4) => ({
  chunkStream,
  type: 9,
  timestamp,
  messageStream: 1,
  payload: Buffer.alloc(bytes, timestamp),
})

test.each([1, 2, 3, 7, 129, 5_000])('messages survive being cut every %i bytes', (step) => {
  const { messages, reader } = collect()
  const sent = [message(0, 0), message(5, 1), message(40, 128), message(80, 129), message(0xffffff, 700)]
  const bytes = Buffer.concat(sent.map((one) => encodeMessage(one, 128)))
  for (let offset = 0; offset < bytes.length; offset += step)
    reader.push(bytes.subarray(offset, offset + step))
  expect(messages).toEqual(sent.map(({ type, timestamp, payload }) => ({ type, timestamp, payload })))
})

test('chunks of several streams may be interleaved, and short headers carry on from the last', () => {
  const { messages, reader } = collect()
  const video = encodeMessage(message(100, 200, 6), 128)
  const audio = encodeMessage(message(110, 20, 4), 128)
  reader.push(Buffer.concat([video.subarray(0, 140), audio, video.subarray(140)]))
  // Type 1: a difference of 40 ms, 3 bytes; type 2: 5 ms; type 3: the same difference again.
  reader.push(Buffer.from([0x46, 0, 0, 40, 0, 0, 3, 9, 1, 2, 3]))
  reader.push(Buffer.from([0x86, 0, 0, 5, 4, 5, 6]))
  reader.push(Buffer.from([0xc6, 7, 8, 9]))
  expect(messages.map((one) => one.timestamp)).toEqual([110, 100, 140, 145, 150])
  expect(messages.at(-1)!.payload).toEqual(Buffer.from([7, 8, 9]))
})

test('encoders that leave the extended timestamp out of continuing chunks are understood', () => {
  const { messages, reader } = collect()
  const bytes = encodeMessage(message(0x1000000, 300, 6), 128)
  // 12 bytes of header, 4 of extended timestamp, then chunks each with a header byte and the timestamp again.
  const without = Buffer.concat([bytes.subarray(0, 144), bytes.subarray(144, 145), bytes.subarray(149, 277)])
  reader.push(Buffer.concat([without, bytes.subarray(277, 278), bytes.subarray(282)]))
  expect(messages).toEqual([{ type: 9, timestamp: 0x1000000, payload: Buffer.alloc(300, 0) }])
})

test('chunk sizes and aborts are followed', () => {
  const { messages, reader } = collect()
  reader.push(encodeControl(1, 4_096))
  const half = encodeMessage(message(1, 5_000, 6), 4_096).subarray(0, 12 + 4_096)
  reader.push(half)
  reader.push(encodeControl(2, 6))
  reader.push(encodeMessage(message(2, 3_000, 6), 4_096))
  expect(messages.map((one) => one.payload.length)).toEqual([3_000])
})

test('ids of one, two and three bytes', () => {
  const { messages, reader } = collect()
  reader.push(Buffer.from([0x00, 10, 0, 0, 1, 0, 0, 1, 9, 1, 0, 0, 0, 7]))
  reader.push(Buffer.from([0x01, 10, 1, 0, 0, 2, 0, 0, 1, 9, 1, 0, 0, 0, 8]))
  // The two are different streams: each continues its own.
  reader.push(Buffer.from([0xc0, 10, 9]))
  expect(messages.map((one) => one.payload[0])).toEqual([7, 8, 9])
})

test('while paused messages wait', () => {
  const { messages, reader } = collect()
  reader.push(encodeMessage(message(1, 10)))
  reader.pause()
  reader.push(encodeMessage(message(2, 10)))
  expect(messages).toHaveLength(1)
  reader.resume()
  expect(messages).toHaveLength(2)
})

test.each([
  ['a chunk that continues nothing', Buffer.from([0xc6, 1, 2])],
  ['a message over the limit', Buffer.from([0x06, 0, 0, 0, 0x10, 0, 0, 9, 0, 0, 0, 0])],
  ['a chunk size of zero', encodeControl(1, 0)],
  ['a chunk size beyond 24 bits', encodeControl(1, 0x1000000)],
])('%s breaks the protocol', (_name, bytes) => {
  expect(() => collect().reader.push(bytes)).toThrow(expect.objectContaining({ name: 'RtmpProtocolError' }))
})

test('too many chunk streams break the protocol', () => {
  const { reader } = collect()
  expect(() => {
    for (let id = 3; id < 64; id++) reader.push(encodeMessage(message(0, 1, id)))
    for (let id = 64; id < 70; id++)
      reader.push(Buffer.from([0x00, id - 64, 0, 0, 0, 0, 0, 1, 9, 0, 0, 0, 0, 1]))
  }).toThrow('too many chunk streams')
})
