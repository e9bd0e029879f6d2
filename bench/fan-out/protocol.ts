/** What the receivers are to do, and the shape of the packets they will see. */
export interface Plan {
  target: { port: number; path: string }
  subscribers: number
  topic: string
  /** Each receiver subscribes to a topic of its own instead. */
  personal: boolean
  packetBytes: number
  /** Where in a packet the time stamp begins. */
  stampOffset: number
}

/** Times in milliseconds, except `lastReceived`: microseconds of the machine's monotonic clock. */
export interface Report {
  received: number
  p50: number
  p99: number
  lastReceived: number
}

/** A time stamp: microseconds of the monotonic clock, in digits of fixed width. */
export const STAMP_DIGITS = 14

export const PAYLOAD_BYTES = 400

/** A payload of the chosen size that begins with the time of sending. */
export function stampedPayload(): string {
  const stamp = String(process.hrtime.bigint() / 1000n).padStart(STAMP_DIGITS, '0')
  return `{"t":"${stamp}","text":"`.padEnd(PAYLOAD_BYTES - 2, 'x') + '"}'
}

/** Bytes before the time stamp in a payload. */
export const STAMP_AT = '{"t":"'.length
