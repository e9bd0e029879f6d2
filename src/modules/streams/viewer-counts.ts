import { now } from '../../platform/clock.ts'
import { newId } from '../../platform/ids.ts'
import { broadcast } from '../../kernel/broadcast.ts'
import { inTransaction, type Db } from '../../kernel/database.ts'
import { audiencesOf } from './audience.ts'
import { viewersCounted } from './events.ts'
import { replacePlayers, sumPlayersElsewhere } from './player-store.ts'
import { findStreamsById } from './store.ts'

/** How many watch what is live, on all servers together. */
export interface ViewerCounts {
  /** Players connected now, by the name in the engine. */
  read(name: string): Promise<number>
  /** Notes what this server serves, for the others, and tells of each stream it carries when the number changed. */
  tell(running: string[]): Promise<void>
}

/** Longer than a server takes to repeat itself. */
const freshMs = 15_000

/** `here` counts what this server serves. */
export function createViewerCounts(
  db: Db,
  here: { names(): string[]; count(name: string): number },
): ViewerCounts {
  const node = newId()
  const told = new Map<string, number>()
  let isNoted = false
  const since = () => new Date(now().getTime() - freshMs)

  async function count(names: string[]): Promise<Map<string, number>> {
    const elsewhere = names.length > 0 ? await sumPlayersElsewhere(db, node, names, since()) : new Map()
    return new Map(names.map((name) => [name, here.count(name) + (elsewhere.get(name) ?? 0)]))
  }

  async function note(): Promise<void> {
    const counts = here.names().map((name) => ({ name, players: here.count(name) }))
    const watched = counts.filter(({ players }) => players > 0)
    if (watched.length === 0 && !isNoted) return
    await inTransaction(db, (tx) => replacePlayers(tx, node, watched, { at: now(), since: since() }))
    isNoted = watched.length > 0
  }

  return {
    read: async (name) => (await count([name])).get(name)!,
    async tell(running) {
      await note()
      for (const name of told.keys()) if (!running.includes(name)) told.delete(name)
      const counts = await count(running)
      const changed = running.filter((name) => told.get(name) !== counts.get(name))
      for (const name of changed) told.set(name, counts.get(name)!)
      if (changed.length === 0) return
      for (const stream of await findStreamsById(db, changed)) {
        const viewerCount = counts.get(stream.id)!
        const subject = { streamId: stream.id, viewerCount, audiences: await audiencesOf(db, stream) }
        broadcast(db, viewersCounted, { actorId: null, subject })
      }
    },
  }
}
