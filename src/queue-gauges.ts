import { countDeliveries } from './delivery/webhooks/log-store.ts'
import { inTransaction, type Db } from './kernel/database.ts'
import { countDeadLetters, findBacklog } from './kernel/outbox/store.ts'
import { now } from './platform/clock.ts'
import { limitStatements } from './platform/database/patience.ts'
import type { Gauges } from './platform/http/metrics.ts'
import { countJobs } from './platform/jobs/count.ts'

// However long a queue got, looking at it costs the same.
const countedUpTo = 10_000
const patienceMs = 2000

/** What waits, and what was given up, in the whole database: every node answers the same. */
export function queueGauges(db: Db): Gauges {
  return {
    described: {
      hubbub_outbox_waiting: `Events that were not handed to every sink yet, up to ${countedUpTo} twice.`,
      hubbub_outbox_oldest_seconds: 'How long the oldest of them has waited.',
      hubbub_outbox_dead_letters: 'Events that a sink could not take.',
      hubbub_webhook_deliveries_waiting: 'Webhooks that were not delivered yet, retries among them.',
      hubbub_webhook_deliveries_dead: 'Webhooks that were given up.',
      hubbub_jobs_waiting: 'Jobs that are due and that nobody has taken.',
      hubbub_jobs_failed: 'Jobs that have used up their tries.',
    },
    read: () =>
      inTransaction(db, async (tx) => {
        await limitStatements(tx, patienceMs)
        const events = await findBacklog(tx, countedUpTo)
        const letters = await countDeadLetters(tx, countedUpTo)
        const deliveries = await countDeliveries(tx, countedUpTo)
        const jobs = await countJobs(tx, countedUpTo)
        return {
          hubbub_outbox_waiting: events.waiting,
          hubbub_outbox_oldest_seconds: events.since ? (now().getTime() - events.since.getTime()) / 1000 : 0,
          hubbub_outbox_dead_letters: letters,
          hubbub_webhook_deliveries_waiting: deliveries.waiting,
          hubbub_webhook_deliveries_dead: deliveries.dead,
          hubbub_jobs_waiting: jobs.waiting,
          hubbub_jobs_failed: jobs.failed,
        }
      }),
  }
}
