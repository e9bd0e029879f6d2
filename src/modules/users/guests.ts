import { now } from '../../platform/clock.ts'
import { brokenConstraint } from '../../platform/database/database.ts'
import { inTransaction, type Tx } from '../../kernel/database.ts'
import { defineJob, type Job } from '../../kernel/jobs.ts'
import type { UserDeparture } from './departure.ts'
import { deleteUserRow, findIdleGuests, isIdle } from './store.ts'

const everyMs = 3_600_000
const idleDays = 60
/** Deleting a person looks into every table that may name them, so not too many go at a time. */
const atOnce = 500

/**
 * Forgets visitors and bots who have not signed in for 60 days: until then their last session is kept (sessions), so
 * those without one are they. Who comes again begins anew under the same id.
 */
export function createGuestPurge(departures: UserDeparture[]): Job<undefined> {
  return defineJob({
    name: 'users.purge-guests',
    everyMs,
    async run({ db, log, signal }) {
      const before = new Date(now().getTime() - idleDays * 86_400_000)
      for (const id of await findIdleGuests(db, before, atOnce)) {
        if (signal.aborted) return
        try {
          await inTransaction(db, (tx) => purge(tx, departures, id))
        } catch (error) {
          if (brokenConstraint(error) === undefined) throw error
          log.warn({ err: error, userId: id }, 'a guest is named somewhere and stays')
        }
      }
    },
  })
}

async function purge(tx: Tx, departures: UserDeparture[], id: string): Promise<void> {
  if (!(await isIdle(tx, id))) return
  for (const departure of departures) await departure.purged?.(tx, id)
  await deleteUserRow(tx, id)
}
