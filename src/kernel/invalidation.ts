import { sql } from 'kysely'
import { afterCommit, type Tx } from './database.ts'

/** The PostgreSQL channel on which nodes tell each other to forget. */
export const invalidationChannel = 'hubbub_forget'

type Forget = (key: string) => void
const listeners = new Map<string, Set<Forget>>()

/**
 * Tells every node to forget what it cached under a key of a topic, once the transaction has committed: this node at
 * once, others by NOTIFY. For rare changes only (a ban, a revoked session): NOTIFY serialises commits.
 */
export async function forget(tx: Tx, topic: string, key: string): Promise<void> {
  await sql`select pg_notify(${invalidationChannel}, ${`${topic} ${key}`})`.execute(tx)
  afterCommit(tx, () => forgetHere(`${topic} ${key}`))
}

/** Acts on a notification. */
export function forgetHere(message: string): void {
  const gap = message.indexOf(' ')
  for (const listener of listeners.get(message.slice(0, gap)) ?? []) listener(message.slice(gap + 1))
}

/** Hears of what to forget in one topic. Answers how to stop hearing. */
export function onForget(topic: string, listener: Forget): () => void {
  const set = listeners.get(topic) ?? new Set()
  listeners.set(topic, set.add(listener))
  return () => void set.delete(listener)
}
