import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Packet } from 'mqtt-packet'
import type { WebSocket } from 'ws'
import { elapsed } from '../clock.ts'
import { closeCodes, type CloseReason, type MqttLimits } from './mqtt-options.ts'
import { createPacketReader } from './mqtt-packets.ts'
import { callAt } from './timers.ts'
import { createWriter, type Flusher } from './writer.ts'

export interface LinkOptions {
  limits: MqttLimits
  flusher: Flusher
  /** Handles one packet. While a promise is open no further packet is handled and the socket is not read. */
  onPacket: (packet: Packet) => void | Promise<void>
  onError: (error: unknown) => void
  /** Called once, as soon as the link stops serving; the socket may take a little longer to close. */
  onClosed: (reason: CloseReason, detail: string) => void
}

export type Link = ReturnType<typeof createLink>

const WEBSOCKET_OPEN = 1
const TCP_PROBE_MS = 60_000
const MAX_CLOSE_TEXT_BYTES = 120

/**
 * The transport of one MQTT client: packets in, bytes out, timers, and one way to end.
 * Data goes straight to the TCP socket as whole WebSocket frames. The WebSocket library writes its own control
 * frames whole and to the same socket, so the two can only meet at frame boundaries.
 */
export function createLink(ws: WebSocket, socket: Duplex, options: LinkOptions) {
  const { limits } = options
  const queue: Packet[] = []
  let busy = false
  let closed = false
  let keepAlive: NodeJS.Timeout | undefined
  let cancelExpiry: (() => void) | undefined
  let windowStart = elapsed()
  let packetsInWindow = 0

  const outlet = {
    get writableLength() {
      return socket.writableLength
    },
    // After a close frame, whoever began, no data may follow.
    write: (chunk: Buffer) => ws.readyState === WEBSOCKET_OPEN && socket.write(chunk),
  }
  const writer = createWriter(outlet, options.flusher, {
    maxBufferedBytes: limits.maxBufferedBytes,
    onOverflow: () => close('slowReader', `more than ${limits.maxBufferedBytes} bytes waiting`),
  })
  const reader = createPacketReader({ maxBytes: limits.maxPacketBytes, onPacket: receive, onFault: close })
  const connectTimer = setTimeout(close, limits.connectTimeoutMs, 'connectTimeout', 'no CONNECT in time')

  // Finds peers that vanished without a word even when they asked for no keep-alive.
  if (socket instanceof Socket) socket.setKeepAlive(true, TCP_PROBE_MS)
  ws.on('message', (data, isBinary) => {
    if (!isBinary) close('textFrame', 'MQTT is binary')
    else if (!closed) reader.read(data as Buffer)
  })
  ws.on('error', (error: Error & { code?: string }) => close(faultOf(error.code), error.message))
  ws.on('close', () => close('connectionLost', ''))

  function receive(packet: Packet): void {
    if (closed) return
    keepAlive?.refresh()
    if (elapsed() - windowStart >= 1000) {
      windowStart = elapsed()
      packetsInWindow = 0
    }
    if (++packetsInWindow > limits.maxPacketsPerSecond) {
      close('tooManyPackets', `at most ${limits.maxPacketsPerSecond} packets a second`)
      return
    }
    queue.push(packet)
    if (!busy) work().catch(fail)
  }

  async function work(): Promise<void> {
    busy = true
    for (let packet = queue.shift(); packet && !closed; packet = queue.shift()) {
      const pending = options.onPacket(packet)
      if (!pending) continue
      ws.pause()
      await pending
      ws.resume()
    }
    busy = false
  }

  function fail(error: unknown): void {
    options.onError(error)
    close('serverError', 'internal error')
    ws.resume()
  }

  function close(reason: CloseReason, detail: string): void {
    if (closed) return
    closed = true
    queue.length = 0
    clearTimeout(connectTimer)
    clearTimeout(keepAlive)
    cancelExpiry?.()
    // A reader that does not read would not see a close frame either: it lies behind what is waiting.
    if (reason === 'slowReader' || reason === 'connectionLost') {
      writer.stop()
      ws.terminate()
    } else {
      writer.flush()
      writer.stop()
      ws.resume()
      ws.close(closeCodes[reason], closeText(detail || reason))
      const closeTimer = setTimeout(() => ws.terminate(), limits.closeTimeoutMs)
      ws.once('close', () => clearTimeout(closeTimer))
    }
    options.onClosed(reason, detail)
  }

  return {
    /** Queues whole WebSocket frames for the client. */
    push: writer.push,
    close,
    isClosed: () => closed,
    bufferedBytes: writer.bufferedBytes,
    /** Ends the wait for CONNECT. Closes after one and a half times `seconds` without a packet; 0 is never. */
    startKeepAlive(seconds: number): void {
      clearTimeout(connectTimer)
      if (seconds > 0 && !closed) {
        keepAlive = setTimeout(close, seconds * 1500, 'keepAliveTimeout', `no packet for ${seconds * 1.5} s`)
      }
    },
    closeAt(expiresAt: Date): void {
      if (!closed) cancelExpiry = callAt(expiresAt, () => close('sessionExpired', 'session expired'))
    },
  }
}

function faultOf(code = ''): CloseReason {
  if (!code.startsWith('WS_ERR_')) return 'connectionLost'
  return code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH' ? 'packetTooLarge' : 'malformedPacket'
}

function closeText(text: string): string {
  return Buffer.byteLength(text) <= MAX_CLOSE_TEXT_BYTES
    ? text
    : Buffer.from(text).subarray(0, MAX_CLOSE_TEXT_BYTES).toString()
}
