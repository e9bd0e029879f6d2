import type { ServerResponse } from 'node:http'
import { finished } from 'node:stream'

/** Responses of this process to writes that are committed, and on their way to who asked. */
export interface PendingResponses {
  add(response: ServerResponse): void
  /** Resolves when those that are pending now are out, or their clients gone; at the latest after `ms` (250). */
  sent(ms?: number): Promise<void>
}

export function createPendingResponses(): PendingResponses {
  const pending = new Set<Promise<void>>()
  return {
    add(response) {
      const sent = new Promise<void>((resolve) => finished(response, () => resolve()))
      pending.add(sent)
      void sent.then(() => pending.delete(sent))
    },
    async sent(ms = 250) {
      if (pending.size === 0) return
      let timer: NodeJS.Timeout | undefined
      const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, ms)))
      await Promise.race([Promise.all(pending), late])
      clearTimeout(timer)
    },
  }
}
