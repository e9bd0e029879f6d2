import { newSecret } from '../../ids.ts'
import { protocolError } from '../protocol-error.ts'

const blockBytes = 1536

/**
 * The plain handshake of RTMP 1.0 (5.2), server side. Feed it what arrives; it writes its answer itself and
 * returns the bytes after the handshake once that is complete, null until then. Throws on another version.
 */
export function createHandshake(write: (bytes: Buffer) => void): (data: Buffer) => Buffer | null {
  let received: Buffer = Buffer.alloc(0)
  let answered = false

  return (data) => {
    received = received.length > 0 ? Buffer.concat([received, data]) : data
    if (received.length > 0 && received[0] !== 3) throw protocolError('not RTMP version 3')
    if (!answered && received.length >= 1 + blockBytes) {
      answered = true
      const own = Buffer.from(newSecret(blockBytes), 'base64url')
      own.fill(0, 0, 8)
      write(Buffer.concat([Buffer.from([3]), own, received.subarray(1, 1 + blockBytes)]))
    }
    // The peer's echo is not compared: common encoders send other bytes there.
    return received.length >= 1 + 2 * blockBytes ? received.subarray(1 + 2 * blockBytes) : null
  }
}
