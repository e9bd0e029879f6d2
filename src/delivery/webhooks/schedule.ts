/** How long later events of an object wait for an earlier one that keeps failing. */
export const patienceMs = 3_600_000

const maxPauseMs = 86_400_000

export interface Pause {
  /** Attempts made so far, at least one. */
  attempts: number
  retrySeconds: readonly number[]
  /** What the receiver asked for, if it did. */
  retryAfterMs: number | null
  /** From 0 to 1. */
  chance: number
}

/**
 * How long to wait before the next attempt, in ms; null when there shall be none. The pause is up to a tenth longer
 * than planned, so that what failed together does not come back together; never shorter than the receiver asked for.
 */
export function nextPause({ attempts, retrySeconds, retryAfterMs, chance }: Pause): number | null {
  const planned = retrySeconds[attempts - 1]
  if (planned === undefined) return null
  return Math.round(Math.max(planned * 1000 * (1 + chance / 10), retryAfterMs ?? 0))
}

/** Reads a `Retry-After` header: seconds or a date (RFC 9110, 10.2.3). In ms, a day at most; null when it is neither. */
export function readRetryAfter(header: string | string[] | undefined, at: Date): number | null {
  if (typeof header !== 'string') return null
  const text = header.trim()
  const ms = /^\d{1,9}$/.test(text) ? Number(text) * 1000 : Date.parse(text) - at.getTime()
  return Number.isNaN(ms) ? null : Math.min(Math.max(ms, 0), maxPauseMs)
}
