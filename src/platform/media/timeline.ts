/** Maps the timestamps of one encoder connection after the other onto the stream's own, ever-growing time. */
export type Timeline = {
  /** The next timestamp comes from a new connection, whose clock may start anywhere. */
  restart(): void
  /** Milliseconds since the stream began; per kind strictly growing. */
  map(kind: 'audio' | 'video', timestamp: number): number
  /** The largest time given out; -1 before the first. */
  last(): number
}

/** Distance between the last frame before and the first frame after an interruption. */
const gapMs = 33
/** Jumps beyond these are an encoder's clock being reset, not media missing. */
const maxForwardMs = 10_000
const maxBackwardMs = 3_000

/** A timeline that continues after `last` milliseconds (-1 for a new stream). */
export function createTimeline(last = -1): Timeline {
  let newest = last
  let newestOf = { audio: last, video: last }
  let raw = 0
  let offset: number | null = null

  function resume(): number {
    return newest < 0 ? 0 : newest + gapMs
  }

  return {
    restart() {
      offset = null
      newestOf = { audio: newest, video: newest }
    },
    map(kind, timestamp) {
      // RTMP time is 32 bits and wraps after 49 days; differences are taken within that circle.
      raw += (timestamp - raw) | 0
      offset ??= resume() - raw
      const out = raw + offset
      if (newest >= 0 && (out > newest + maxForwardMs || out < newest - maxBackwardMs))
        offset = resume() - raw
      const mapped = Math.max(raw + offset, newestOf[kind] + 1)
      newestOf[kind] = mapped
      newest = Math.max(newest, mapped)
      return mapped
    },
    last: () => newest,
  }
}
