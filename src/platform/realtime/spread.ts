import { setTimeout as sleep } from 'node:timers/promises'

// Of the time to drain, the part in which closes begin; the rest is for the last ones to finish.
const CLOSING_SHARE = 0.8
const STEP_MS = 20

/**
 * Acts on all items, evenly spread over most of `spanMs`, so that clients sent away do not all return together.
 * The action also gets a delay in ms, up to `spanMs`, to suggest to the client.
 */
export async function spreadOver<T>(
  items: readonly T[],
  spanMs: number,
  act: (item: T, delayMs: number) => void,
): Promise<void> {
  const steps = Math.max(1, Math.floor((spanMs * CLOSING_SHARE) / STEP_MS))
  let next = 0
  for (let step = 0; step < steps; step++) {
    const end = Math.ceil((items.length * (step + 1)) / steps)
    for (; next < end; next++) act(items[next] as T, Math.round((spanMs * next) / items.length))
    if (step < steps - 1) await sleep(STEP_MS)
  }
}
