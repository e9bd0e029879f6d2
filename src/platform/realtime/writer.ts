import { emptyBatch, extendBatch, joinBatch, type Batch } from './batch.ts'
import { elapsed } from '../clock.ts'

/** What a writer needs of a socket or an HTTP response. */
export interface Outlet {
  readonly writableLength: number
  write: (chunk: Buffer) => boolean
}

export interface Writer {
  /** Queues bytes that make up whole frames; written with what else comes within the flush interval. */
  push: (chunk: Buffer) => void
  /** Writes what is queued now. */
  flush: () => void
  /** Drops what is queued and everything pushed later. */
  stop: () => void
  /** Bytes not yet handed to the operating system. */
  bufferedBytes: () => number
}

export interface WriterOptions {
  /** Most bytes that may wait for one reader, in the queue and in the socket. */
  maxBufferedBytes: number
  /** Called once when a reader falls further behind than that; the writer has stopped by then. */
  onOverflow: () => void
}

// Joined beyond this size, a write gains nothing; it only makes the copy larger.
const JOIN_BYTES = 64 * 1024
// A flush of many sockets gives way to other work after this long.
const SLICE_MS = 8
// Under load a round waits for the next one no longer than this.
const MAX_PAUSE_MS = 20

export type Flusher = ReturnType<typeof createFlusher>

/**
 * Collects the writes of many sockets and performs them together, every `intervalMs` while there are any.
 * A round that takes long pauses for other work; what is pushed meanwhile belongs to the next round.
 */
export function createFlusher(intervalMs = 5) {
  let waiting: Writer[] = []
  let round: Writer[] = []
  let next = 0
  let roundStarted = 0
  let idle = true
  let root = emptyBatch()

  function startRound(): void {
    round = waiting
    roundStarted = elapsed()
    next = 0
    waiting = []
    // A new root, so that batches already written can be freed.
    root = emptyBatch()
    continueRound()
  }

  function continueRound(): void {
    const started = elapsed()
    while (next < round.length) {
      round[next++]?.flush()
      if ((next & 31) === 0 && elapsed() - started > SLICE_MS) {
        setImmediate(continueRound)
        return
      }
    }
    round = []
    idle = waiting.length === 0
    if (idle) return
    // A pause as long as the work: half the time is for others, and larger writes cost less per event.
    const took = elapsed() - roundStarted
    setTimeout(startRound, Math.max(intervalMs, Math.min(took, MAX_PAUSE_MS)))
  }

  return {
    schedule(writer: Writer): void {
      waiting.push(writer)
      if (!idle) return
      idle = false
      setTimeout(startRound, intervalMs)
    },
    /** The empty batch that every queue begins with. */
    root: (): Batch => root,
  }
}

/** The outgoing side of one connection: joins frames into few writes, and bounds what may wait. */
export function createWriter(outlet: Outlet, flusher: Flusher, options: WriterOptions): Writer {
  let batch: Batch | undefined
  let scheduled = false
  let stopped = false

  const writer: Writer = {
    push(chunk) {
      if (stopped) return
      batch = extendBatch(batch ?? flusher.root(), chunk)
      if (batch.bytes >= JOIN_BYTES) writeBatch()
      else if (!scheduled) {
        scheduled = true
        flusher.schedule(writer)
      }
    },
    flush() {
      scheduled = false
      if (batch) writeBatch()
    },
    stop() {
      stopped = true
      batch = undefined
    },
    bufferedBytes: () => outlet.writableLength + (batch?.bytes ?? 0),
  }

  function writeBatch(): void {
    if (!batch) return
    // A socket that took everything so far may be given one batch of any size.
    if (outlet.writableLength > 0 && writer.bufferedBytes() > options.maxBufferedBytes) {
      writer.stop()
      options.onOverflow()
      return
    }
    const whole = batch
    batch = undefined
    outlet.write(joinBatch(whole))
  }

  return writer
}
