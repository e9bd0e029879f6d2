import type { Kysely, Transaction } from 'kysely'
import type { DB } from '../../db/tables.ts'
import { isRetryable } from '../platform/database/database.ts'

/** The database outside a transaction: reads only, by convention. */
export type Db = Kysely<DB>

/** A transaction. Writes take it first; a plain `Db` does not compile in its place. */
export type Tx = Transaction<DB>

type Callback = () => void
const afterCommits = new WeakMap<Tx, Callback[]>()
const afterRollbacks = new WeakMap<Db, (() => Promise<void>)[]>()
const committed = new WeakMap<Db, Callback>()
const rootOf = new WeakMap<Db, Db>()

/**
 * Runs `work` in one transaction and commits. A serialization failure or a deadlock runs it again, so `work` must
 * touch nothing but the transaction; what belongs outside goes into `afterCommit`.
 */
export async function inTransaction<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const callbacks: Callback[] = []
    const undone: (() => Promise<void>)[] = []
    try {
      const result = await db.transaction().execute((tx) => {
        afterCommits.set(tx, callbacks)
        afterRollbacks.set(tx, undone)
        rootOf.set(tx, db)
        return work(tx)
      })
      for (const callback of new Set(callbacks)) callback()
      return result
    } catch (error) {
      if (attempt < 3 && isRetryable(error)) continue
      for (const callback of undone) await callback()
      throw error
    }
  }
}

/** Calls back once `tx` has committed, never if it rolled back. */
export function afterCommit(tx: Tx, callback: Callback): void {
  afterCommits.get(tx)?.push(callback)
}

/**
 * Does something of its own once `tx` has failed and rolled back, before its caller hears of it: what a refused write
 * leaves behind. Never if it committed. Outside a transaction there is nothing to wait for.
 */
export async function afterRollback(tx: Db, callback: () => Promise<void>): Promise<void> {
  const callbacks = afterRollbacks.get(tx)
  if (callbacks) callbacks.push(callback)
  else await callback()
}

/** The database a transaction runs in; a database itself. What is remembered is remembered per database. */
export function databaseOf(db: Db): Db {
  return rootOf.get(db) ?? db
}

/** Registers the one listener that hears of commits that wrote events: the outbox dispatcher. */
export function onEventsCommitted(db: Db, listener: Callback): void {
  committed.set(db, listener)
}

/** Marks that `tx` wrote events, so that its commit wakes the dispatcher. */
export function nudgeAfterCommit(tx: Tx): void {
  const root = rootOf.get(tx)
  const listener = root && committed.get(root)
  if (listener) afterCommit(tx, listener)
}
