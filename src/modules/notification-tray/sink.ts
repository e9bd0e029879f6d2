import { now } from '../../platform/clock.ts'
import { inTransaction, type Db } from '../../kernel/database.ts'
import type { Sink } from '../../kernel/outbox/dispatcher.ts'
import { readNotices } from '../notices/index.ts'
import { keptSince } from './retention.ts'
import { deleteItemsBefore, gatherNotices } from './write-store.ts'

const sweepMs = 60_000
const sweptAtOnce = 1000

/** Puts what events tell people into their trays: a few statements for any number of events, the same when repeated. */
export function createTraySink(db: Db): Sink {
  let nextSweep = 0
  return {
    name: 'notification-tray',
    async take(events) {
      const notices = await readNotices(db, events)
      if (notices.length > 0) await inTransaction(db, (tx) => gatherNotices(tx, notices))
      const at = now()
      if (at.getTime() < nextSweep) return
      nextSweep = at.getTime() + sweepMs
      await deleteItemsBefore(db, keptSince(at), sweptAtOnce)
    },
  }
}
