import { generate, parser, type Packet } from 'mqtt-packet'
import { webSocketFrame } from './frame.ts'

/** Why bytes from a client cannot be read. */
export type PacketFault = 'malformedPacket' | 'packetTooLarge'

export interface PacketReader {
  /** Takes bytes as they come; packets may span chunks and chunks may hold several packets. */
  read: (chunk: Buffer) => void
}

const MAX_HEADER_BYTES = 5

/**
 * Cuts a byte stream into MQTT packets of at most `maxBytes`. A longer one is refused as soon as its length is
 * known, before it is held in memory. After a fault the reader ignores everything.
 */
export function createPacketReader(options: {
  maxBytes: number
  onPacket: (packet: Packet) => void
  onFault: (fault: PacketFault, detail: string) => void
}): PacketReader {
  let chunks: Buffer[] = []
  let held = 0
  let needed = 2
  let failed = false

  function fail(fault: PacketFault, detail: string): void {
    failed = true
    chunks = []
    options.onFault(fault, detail)
  }

  return {
    read(chunk) {
      if (failed) return
      chunks.push(chunk)
      held += chunk.length
      if (held < needed) return
      let bytes = chunks.length === 1 ? chunk : Buffer.concat(chunks)
      for (;;) {
        const length = packetLength(bytes)
        if (length === 'malformed')
          return fail('malformedPacket', 'remaining length is longer than four bytes')
        if (length !== undefined && length > options.maxBytes) {
          return fail('packetTooLarge', `a packet may have ${options.maxBytes} bytes`)
        }
        if (length === undefined || bytes.length < length) {
          chunks = bytes.length > 0 ? [bytes] : []
          held = bytes.length
          needed = length ?? Math.max(2, held + 1)
          return
        }
        const packet = parsePacket(bytes.subarray(0, length))
        if (packet instanceof Error) return fail('malformedPacket', packet.message)
        bytes = bytes.subarray(length)
        options.onPacket(packet)
      }
    },
  }
}

// Bytes of the first packet with its header; undefined while the header is incomplete.
function packetLength(bytes: Buffer): number | 'malformed' | undefined {
  let remaining = 0
  for (let i = 1; i < MAX_HEADER_BYTES; i++) {
    const digit = bytes[i]
    if (digit === undefined) return undefined
    remaining += (digit & 127) * 128 ** (i - 1)
    if (digit < 128) return 1 + i + remaining
  }
  return 'malformed'
}

// A parser per packet: the library's keeps settings of an earlier CONNECT, and throws on some short packets.
function parsePacket(bytes: Buffer): Packet | Error {
  let result: Packet | Error = new Error('incomplete packet')
  const reader = parser({ protocolVersion: 4 })
  reader.on('packet', (packet) => (result = packet))
  reader.on('error', (error) => (result = error instanceof Error ? error : new Error(String(error))))
  try {
    reader.parse(bytes)
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
  return result
}

/** A control packet in the WebSocket frame that carries it to an MQTT 3.1 or 3.1.1 client. */
export function controlFrame(packet: Packet, protocolVersion: 3 | 4 | 5 = 4): Buffer {
  return webSocketFrame(generate(packet, { protocolVersion }))
}

/** Answers to what clients send without a packet id. */
export const pingResponse = controlFrame({ cmd: 'pingresp' })
