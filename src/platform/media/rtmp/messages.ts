/** Message types of RTMP 1.0 that this server reads or writes. */
export const messageTypes = {
  setChunkSize: 1,
  abort: 2,
  acknowledgement: 3,
  userControl: 4,
  windowAcknowledgement: 5,
  peerBandwidth: 6,
  audio: 8,
  video: 9,
  dataAmf3: 15,
  commandAmf3: 17,
  data: 18,
  command: 20,
  aggregate: 22,
} as const

/** Chunk streams we write on, one per purpose, as common servers choose them. */
export const chunkStreams = { control: 2, command: 3, audio: 4, video: 6, data: 5 } as const

/** Chunk size we announce and write with: a typical frame is one chunk. */
export const writeChunkBytes = 60_000

export type OutgoingMessage = {
  chunkStream: number
  type: number
  timestamp: number
  messageStream: number
  payload: Buffer
}

/** One message in chunks of `chunkBytes` (RTMP 1.0, 5.3.1). */
export function encodeMessage(message: OutgoingMessage, chunkBytes = writeChunkBytes): Buffer {
  const { payload, timestamp } = message
  const extended = timestamp >= 0xffffff
  const extendedBytes = extended ? 4 : 0
  const chunks = Math.max(1, Math.ceil(payload.length / chunkBytes))
  const out = Buffer.allocUnsafe(12 + extendedBytes + payload.length + (chunks - 1) * (1 + extendedBytes))
  out[0] = message.chunkStream
  out.writeUIntBE(extended ? 0xffffff : timestamp, 1, 3)
  out.writeUIntBE(payload.length, 4, 3)
  out[7] = message.type
  out.writeUInt32LE(message.messageStream, 8)
  let offset = 12
  if (extended) offset = out.writeUInt32BE(timestamp >>> 0, offset)
  for (let chunk = 0; chunk < chunks; chunk++) {
    if (chunk > 0) {
      out[offset++] = 0xc0 | message.chunkStream
      if (extended) offset = out.writeUInt32BE(timestamp >>> 0, offset)
    }
    offset += payload.copy(
      out,
      offset,
      chunk * chunkBytes,
      Math.min(payload.length, (chunk + 1) * chunkBytes),
    )
  }
  return out
}

/** A protocol control message with one 32-bit number; `limit` adds the limit type of a bandwidth message. */
export function encodeControl(type: number, value: number, limit?: number): Buffer {
  const payload = Buffer.alloc(limit === undefined ? 4 : 5)
  payload.writeUInt32BE(value)
  if (limit !== undefined) payload[4] = limit
  return encodeMessage({ chunkStream: chunkStreams.control, type, timestamp: 0, messageStream: 0, payload })
}

/** User control events: 0 stream begins, 1 stream ends, 6 ping, 7 pong. */
export function encodeUserControl(event: number, value: number): Buffer {
  const payload = Buffer.alloc(6)
  payload.writeUInt16BE(event)
  payload.writeUInt32BE(value, 2)
  return encodeMessage({
    chunkStream: chunkStreams.control,
    type: messageTypes.userControl,
    timestamp: 0,
    messageStream: 0,
    payload,
  })
}
