const firstMs = 10_000
const longestMs = 3_600_000

/**
 * How long to wait before the next attempt, in ms: four times longer each time, up to an hour, spread by up to a
 * quarter so that what failed together is not repeated together.
 */
export function retryDelay(attempts: number, id: number): number {
  const delay = Math.min(firstMs * 4 ** (attempts - 1), longestMs)
  return Math.round(delay * (1 + (id % 32) / 128))
}
