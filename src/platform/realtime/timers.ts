import { now } from '../clock.ts'

// Longer delays overflow the timer and would fire at once.
const MAX_DELAY_MS = 2 ** 31 - 1

/** Calls back once the wall clock reaches a time, also when that is more than 24 days away. Returns how to cancel. */
export function callAt(when: Date, callback: () => void): () => void {
  let timer: NodeJS.Timeout | undefined
  function arm(): void {
    const delay = when.getTime() - now().getTime()
    timer = setTimeout(delay > MAX_DELAY_MS ? arm : callback, Math.min(Math.max(delay, 0), MAX_DELAY_MS))
    timer.unref()
  }
  arm()
  return () => clearTimeout(timer)
}
