import type { Endpoint } from './endpoint.ts'
import type { Claimed } from './store.ts'

/** What a sender holds for one endpoint. Lanes share nothing: a slow or dead endpoint fills only its own. */
export interface Lane {
  endpoint: Endpoint
  /** Claimed and not yet tried. */
  queue: Claimed[]
  /** Being tried. */
  active: number
  /** Claimed and not yet written down how it went. */
  held: number
  filling: boolean
  /** There may be more since the filling began. */
  again: boolean
  /** The endpoint asked for rest until then, in ms since the epoch. */
  pausedUntil: number
  /** The endpoint is disabled or gone. */
  closed: boolean
}

export function openLane(endpoint: Endpoint): Lane {
  return {
    endpoint,
    queue: [],
    active: 0,
    held: 0,
    filling: false,
    again: false,
    pausedUntil: 0,
    closed: false,
  }
}

/** Takes back what was not tried. */
export function drainLane(lane: Lane): Claimed[] {
  const untried = lane.queue.splice(0)
  lane.held -= untried.length
  return untried
}
