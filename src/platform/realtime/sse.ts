import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { payloadBytes, sseBytes, sseRecord, type Frame } from './frame.ts'
import type { Hub } from './hub.ts'
import { comparePositions, laterPosition } from './positions.ts'
import { callAt } from './timers.ts'
import { createFlusher, createWriter, type Flusher } from './writer.ts'

export type StreamCloseReason =
  'connectionLost' | 'slowReader' | 'sessionExpired' | 'disconnected' | 'replayFailed' | 'serverShutdown'

export interface EventStreamOptions {
  hub: Hub
  ownerId: string
  /** Topic filters to hold from the start; the caller has authorized them. */
  filters?: readonly string[]
  /** Event names to send; all when absent. */
  events?: ReadonlySet<string> | undefined
  /** Holds live events back until `replay` has ended, so that past and present join without gap or double. */
  resume?: boolean
  /** How long the client should wait before it reconnects. */
  retryMs?: number
  /** A comment goes out this often, so that proxies and clients see a living connection. */
  heartbeatMs?: number
  /** Bytes that may wait for this client, held or written, before it is dropped as too slow. */
  maxBufferedBytes?: number
  expiresAt?: Date | undefined
  /** Further response headers, such as those of CORS. */
  headers?: Readonly<Record<string, string>>
  flusher?: Flusher
  onClosed?: (reason: StreamCloseReason) => void
}

export type EventStream = ReturnType<typeof openEventStream>

const HEARTBEAT = Buffer.from(':\n\n')
const CLOSE_TIMEOUT_MS = 5_000
// Replay waits for the client beyond this; live events do not wait, they count towards the bound.
const REPLAY_WINDOW_BYTES = 64 * 1024
const sharedFlusher = createFlusher()

/**
 * Turns an HTTP response that has no head yet into a `text/event-stream` fed by the hub. Each record carries the
 * event's position as its id; a client that comes back sends the last one as `Last-Event-ID`.
 */
export function openEventStream(res: ServerResponse, options: EventStreamOptions) {
  const { hub, retryMs = 2_000, heartbeatMs = 15_000, maxBufferedBytes = 4 * 1024 * 1024 } = options
  let held: Frame[] | undefined = options.resume ? [] : undefined
  let heldBytes = 0
  let joinedAt: string | undefined
  let closed = false

  res.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache, no-transform',
    'x-accel-buffering': 'no',
    ...options.headers,
  })
  res.socket?.setNoDelay(true)
  const writer = createWriter(res, options.flusher ?? sharedFlusher, {
    maxBufferedBytes,
    onOverflow: () => close('slowReader'),
  })
  writer.push(Buffer.from(`retry: ${retryMs}\n\n`))
  writer.flush()

  const heartbeat = setInterval(() => writer.push(HEARTBEAT), heartbeatMs)
  const cancelExpiry = options.expiresAt && callAt(options.expiresAt, () => close('sessionExpired'))
  const subscriber = hub.connect(options.ownerId, deliver)
  for (const filter of options.filters ?? []) hub.subscribe(subscriber, filter)
  const ended = new Promise<void>((resolve) =>
    res.destroyed ? resolve() : res.once('close', () => resolve()),
  )
  res.on('error', () => close('connectionLost'))
  void ended.then(() => close('connectionLost'))

  function wanted(frame: Frame): boolean {
    return options.events === undefined || options.events.has(frame.event)
  }

  function deliver(frame: Frame): void {
    if (!wanted(frame)) return
    if (!held) return sendLive(frame)
    held.push(frame)
    heldBytes += payloadBytes(frame).length
    if (heldBytes > maxBufferedBytes) close('slowReader')
  }

  function sendLive(frame: Frame): void {
    // Whatever the order in which live events arrive, those up to the joining point have been replayed.
    if (joinedAt && frame.position && comparePositions(frame.position, joinedAt) <= 0) return
    writer.push(sseBytes(frame))
  }

  async function replay(frames: Iterable<Frame> | AsyncIterable<Frame>, after?: string): Promise<void> {
    let last = after
    try {
      for await (const frame of frames) {
        if (closed) return
        if (frame.position) {
          if (last && comparePositions(frame.position, last) <= 0) continue
          last = frame.position
        }
        if (wanted(frame)) writer.push(sseBytes(frame))
        if (writer.bufferedBytes() > REPLAY_WINDOW_BYTES) await drained()
      }
    } catch (error) {
      // A stream that went on now would have a gap; the client comes back with the last id it has.
      close('replayFailed')
      throw error
    }
    if (closed) return
    joinedAt = laterPosition(joinedAt, last)
    const waiting = held ?? []
    held = undefined
    heldBytes = 0
    for (const frame of waiting) sendLive(frame)
  }

  async function drained(): Promise<void> {
    writer.flush()
    if (!res.writableNeedDrain) return
    const settled = new AbortController()
    const ends = ['drain', 'close'].map((event) => once(res, event, { signal: settled.signal }))
    await Promise.race(ends).catch(() => undefined)
    settled.abort()
    await Promise.allSettled(ends)
  }

  function close(reason: StreamCloseReason, detail: { message?: string; retryMs?: number } = {}): void {
    if (closed) return
    closed = true
    clearInterval(heartbeat)
    cancelExpiry?.()
    hub.disconnect(subscriber)
    held = undefined
    if (reason === 'slowReader' || reason === 'connectionLost') {
      writer.stop()
      res.destroy()
    } else {
      if (detail.retryMs !== undefined) writer.push(Buffer.from(`retry: ${detail.retryMs}\n\n`))
      writer.push(sseRecord('close', JSON.stringify({ reason, message: detail.message })))
      writer.flush()
      writer.stop()
      res.end()
      const closeTimer = setTimeout(() => res.destroy(), CLOSE_TIMEOUT_MS)
      res.once('close', () => clearTimeout(closeTimer))
    }
    options.onClosed?.(reason)
  }

  return {
    /** The stream as the hub knows it: for further filters, personal topics and groups. */
    subscriber,
    /** Sends past events in ascending position, at the pace the client reads, then the live ones held meanwhile.
     * Events up to `after`, the client's `Last-Event-ID`, are left out. Ends the stream and rejects when `frames` does. */
    replay,
    /** Tells the client that events after its `Last-Event-ID` are gone, and where the stream goes on. */
    gap(missing: { lastEventId: string; resumesAfter: string }): void {
      writer.push(sseRecord('gap', JSON.stringify(missing), missing.resumesAfter))
    },
    /** Ends the stream with a `close` event that says why, and optionally when to come back. */
    close,
    isClosed: () => closed,
    /** Resolves when the response is over and its socket free. */
    ended,
    bufferedBytes: () => writer.bufferedBytes() + heldBytes,
  }
}
