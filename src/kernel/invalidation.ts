import { listen, notify } from '../platform/database/listen.ts'
import { afterCommit, type Db, type Tx } from './database.ts'

/** The PostgreSQL channel on which nodes tell each other to forget. */
const channel = 'hubbub_forget'
/** Said in place of a key: everything under the topic. */
export const everything = '*'

type Forget = (key: string) => void
const listeners = new Map<string, Set<Forget>>()
const listening = new WeakSet<Db>()

/**
 * Tells every node to forget what it remembers under a key of a topic, once the transaction has committed: this node
 * at once, others by NOTIFY. For rare changes only (a profile, a ban, a revoked session): NOTIFY serialises commits.
 */
export async function forget(tx: Tx, topic: string, key: string): Promise<void> {
  await notify(tx, channel, `${topic} ${key}`)
  afterCommit(tx, () => forgetHere(topic, key))
}

/** Hears of what to forget in one topic. Answers how to stop hearing. */
export function onForget(topic: string, listener: Forget): () => void {
  const set = listeners.get(topic) ?? new Set()
  listeners.set(topic, set.add(listener))
  return () => void set.delete(listener)
}

/** Whether this node is told of what others change; only then may it remember. */
export function isListening(db: Db): boolean {
  return listening.has(db)
}

/** Listens to the other nodes of a database until closed. After every gap all is forgotten. */
export function listenToOthers(
  db: Db,
  databaseUrl: string,
  onError: (error: Error) => void,
): { close(): Promise<void> } {
  return listen(databaseUrl, channel, {
    onMessage(message) {
      const gap = message.indexOf(' ')
      forgetHere(message.slice(0, gap), message.slice(gap + 1))
    },
    onListening() {
      for (const topic of listeners.keys()) forgetHere(topic, everything)
      listening.add(db)
    },
    onLost(error) {
      listening.delete(db)
      if (error) onError(error)
    },
  })
}

function forgetHere(topic: string, key: string): void {
  for (const listener of listeners.get(topic) ?? []) listener(key)
}
