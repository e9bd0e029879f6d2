import { setTimeout as wait } from 'node:timers/promises'
import { elapsed } from '../clock.ts'
import type { Postmaster } from './postmaster.ts'

const shortLifeMs = 10_000
const mostShortLives = 5

/**
 * Keeps a PostgreSQL running: one that ends by itself (killed for want of memory, say) is started again on the same
 * port, so that pools connect anew. Gives up after five short lives in a row. Answers how to stop it for good.
 */
export function supervise(
  first: Postmaster,
  launchAgain: () => Promise<Postmaster>,
  log: (line: string) => void,
): () => Promise<void> {
  let current = first
  let stopping = false
  const watch = async () => {
    for (let shortLives = 0; ;) {
      const since = elapsed()
      const how = await current.ended
      if (stopping) return
      shortLives = elapsed() - since < shortLifeMs ? shortLives + 1 : 0
      if (shortLives > mostShortLives) return log(`PostgreSQL keeps ending (${how}); giving up on it`)
      log(`PostgreSQL ended unexpectedly (${how}); starting it again`)
      try {
        await wait(shortLives * 200)
        current = await launchAgain()
      } catch (error) {
        return log((error as Error).message)
      }
      if (stopping) return current.stop()
      log('PostgreSQL is back')
    }
  }
  const watching = watch()
  return async () => {
    stopping = true
    await current.stop()
    await watching
  }
}
