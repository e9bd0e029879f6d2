import { tagHeaderBytes, tagTrailerBytes } from '../flv/tag.ts'
import { messageTypes } from './messages.ts'
import { protocolError } from '../protocol-error.ts'

/** A whole message. `frame` has room around the payload so that it becomes an FLV tag without another copy. */
export type IncomingMessage = { type: number; timestamp: number; messageStream: number; frame: Buffer }

export type ChunkReader = {
  /** Feeds bytes from the socket. Throws a protocol error when the peer breaks the protocol or a limit. */
  push(data: Buffer): void
  /** Holds messages back, e.g. while a request is being authorised; `resume` delivers them. */
  pause(): void
  resume(): void
  /** Sets the largest message accepted from now on, in bytes. */
  limit(maxMessageBytes: number): void
}

type ChunkStream = {
  timestamp: number
  /** The timestamp field of the last header: absolute after a full header, else a difference. */
  field: number
  extended: boolean
  length: number
  type: number
  messageStream: number
  frame: Buffer | null
  filled: number
}

const maxChunkStreams = 64
const nothing: Buffer = Buffer.alloc(0)
const headerBytes = [11, 7, 3, 0]

/** Puts messages together from chunks (RTMP 1.0, 5.3). Set Chunk Size and Abort are handled here. */
export function createChunkReader(
  maxMessageBytes: number,
  onMessage: (message: IncomingMessage) => void,
): ChunkReader {
  const streams = new Map<number, ChunkStream>()
  let chunkBytes = 128
  let messageLimit = maxMessageBytes
  let rest: Buffer | null = null
  let input = nothing
  let position = 0
  let paused = false
  let current: ChunkStream | null = null
  let chunkLeft = 0
  let pendingBytes = 0

  function push(data: Buffer): void {
    input = rest ? Buffer.concat([rest, data]) : data
    rest = null
    position = 0
    while (!paused) {
      if (current) {
        if (chunkLeft > 0 && position === input.length) break
        readPayload(current)
      } else if (!readHeader()) break
    }
    if (position < input.length) rest = input.subarray(position)
    input = nothing
  }

  /** False when the header is not all there yet. */
  function readHeader(): boolean {
    const available = input.length - position
    if (available === 0) return false
    const first = input[position]!
    const format = first >> 6
    const idBytes = (first & 63) === 0 ? 2 : (first & 63) === 1 ? 3 : 1
    if (available < idBytes + headerBytes[format]!) return false
    const fields = position + idBytes
    let end = fields + headerBytes[format]!
    let id = first & 63
    if (idBytes > 1) id = 64 + input[position + 1]! + (idBytes === 3 ? input[position + 2]! * 256 : 0)
    const known = streams.get(id)
    if (!known && format !== 0 && format !== 1) throw protocolError('a chunk continues nothing')
    const field = format < 3 ? input.readUIntBE(fields, 3) : known!.field
    const extended = format < 3 ? field === 0xffffff : known!.extended
    let value = field
    if (extended) {
      if (input.length < end + 4) return false
      const sent = input.readUInt32BE(end)
      // Some encoders leave the extended timestamp out of continuing chunks; it is there if it repeats.
      if (format < 3 || sent === known!.field) {
        value = sent
        end += 4
      }
    }
    const stream = known ?? addStream(id)
    const begins = format < 3 || stream.frame === null
    if (begins) {
      if (stream.frame) drop(stream)
      stream.field = value
      stream.extended = extended
      if (format <= 1) {
        stream.length = input.readUIntBE(fields + 3, 3)
        stream.type = input[fields + 6]!
      }
      if (format === 0) stream.messageStream = input.readUInt32LE(fields + 7)
      stream.timestamp = format === 0 ? value : (stream.timestamp + value) >>> 0
      allocate(stream)
    }
    current = stream
    chunkLeft = Math.min(chunkBytes, stream.length - stream.filled)
    position = end
    return true
  }

  function addStream(id: number): ChunkStream {
    if (streams.size >= maxChunkStreams) throw protocolError('too many chunk streams')
    const stream: ChunkStream = {
      timestamp: 0,
      field: 0,
      extended: false,
      length: 0,
      type: 0,
      messageStream: 0,
      frame: null,
      filled: 0,
    }
    streams.set(id, stream)
    return stream
  }

  function allocate(stream: ChunkStream): void {
    pendingBytes += stream.length
    // One limit for all unfinished messages together, so that many chunk streams cannot multiply it.
    if (pendingBytes > messageLimit) throw protocolError(`messages of more than ${messageLimit} bytes`)
    stream.frame = Buffer.allocUnsafe(tagHeaderBytes + stream.length + tagTrailerBytes)
    stream.filled = 0
  }

  function drop(stream: ChunkStream): void {
    pendingBytes -= stream.length
    stream.frame = null
    stream.filled = 0
  }

  function readPayload(stream: ChunkStream): void {
    const count = Math.min(chunkLeft, input.length - position)
    copyBytes(input, position, stream.frame!, tagHeaderBytes + stream.filled, count)
    position += count
    stream.filled += count
    chunkLeft -= count
    if (chunkLeft > 0) return
    current = null
    if (stream.filled === stream.length) finish(stream)
  }

  function finish(stream: ChunkStream): void {
    const frame = stream.frame!
    drop(stream)
    const payload = frame.subarray(tagHeaderBytes, frame.length - tagTrailerBytes)
    if (stream.type === messageTypes.setChunkSize) {
      const size = payload.length >= 4 ? payload.readUInt32BE() : 0
      if (size < 1 || size > 0xffffff) throw protocolError('a chunk size out of range')
      chunkBytes = size
    } else if (stream.type === messageTypes.abort) {
      const aborted = payload.length >= 4 ? streams.get(payload.readUInt32BE()) : undefined
      if (aborted?.frame) drop(aborted)
    } else {
      onMessage({
        type: stream.type,
        timestamp: stream.timestamp,
        messageStream: stream.messageStream,
        frame,
      })
    }
  }

  return {
    push,
    pause: () => void (paused = true),
    resume() {
      paused = false
      push(nothing)
    },
    limit: (bytes) => void (messageLimit = bytes),
  }
}

/** Chunks are often 128 bytes, where the call into the runtime costs more than the copy itself. */
function copyBytes(from: Buffer, start: number, to: Buffer, offset: number, count: number): void {
  if (count > 256) from.copy(to, offset, start, start + count)
  else for (let i = 0; i < count; i++) to[offset + i] = from[start + i]!
}
