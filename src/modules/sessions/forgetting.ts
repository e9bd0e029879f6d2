import { now } from '../../platform/clock.ts'
import { inTransaction } from '../../kernel/database.ts'
import { defineJob } from '../../kernel/jobs.ts'
import { deleteExpiredSessions } from './store.ts'

const everyMs = 3_600_000
/** How long a session is kept after it expired: as long as one is good for, so that a guest counts as idle after twice that. */
const keptDays = 30
const batch = 1000

/** Deletes sessions that expired long ago. */
export const forgettingSessions = defineJob({
  name: 'sessions.forget',
  everyMs,
  async run({ db, signal }) {
    const before = new Date(now().getTime() - keptDays * 86_400_000)
    for (let deleted = batch; deleted === batch && !signal.aborted;)
      deleted = await inTransaction(db, (tx) => deleteExpiredSessions(tx, before, batch))
  },
})
