// The only place that reads the wall clock. Tests move it with `setClock`.
let read: () => number = Date.now

/** The current time, in whole milliseconds, as every stored timestamp is. */
export function now(): Date {
  return new Date(read())
}

/** Replaces the time source; without an argument, back to the machine's clock. For tests. */
export function setClock(source: () => number = Date.now): void {
  read = source
}

/** Monotonic milliseconds for measuring durations; unaffected by clock changes. */
export function elapsed(): number {
  return performance.now()
}
