import { now } from '../../platform/clock.ts'
import type { Log } from '../../platform/log.ts'
import type { PushSender } from '../../platform/push/sender.ts'
import { inTransaction, type Db } from '../../kernel/database.ts'
import { findHidden } from './hidden.ts'
import { startLane } from './lane.ts'
import { createPause } from './pause.ts'
import { deleteNoticesBefore, spreadNotices, takeWaiting } from './store.ts'

interface PushWorkerOptions {
  db: Db
  /** One for each service that is set up; devices of others wait for nothing. */
  senders: PushSender[]
  log: Log
  /** How long a message may be read elsewhere before it is pushed, in ms. */
  graceMs?: number
  pollMs?: number
}

export interface PushWorker {
  /** There are new notices. */
  nudge(): void
  /** Stops taking work, waits for what is under way and closes the services. */
  stop(): Promise<void>
}

const spreadAtOnce = 50
const sweepMs = 60_000
const sweptAtOnce = 5000
/** How long a push is tried, and its notice remembered, in ms. */
const keptMs = 86_400_000

/**
 * Starts what spreads notices over devices and hands them to the push services, each in a lane of its own, so that a
 * slow one holds up no other. Every node runs one; rows are claimed, so that a push is made once.
 */
export function startPushWorker(options: PushWorkerOptions): PushWorker {
  const { db, senders, log, graceMs = 1500, pollMs = 1000 } = options
  const pause = createPause()
  const lanes = senders.map((sender) => startLane({ db, sender, log, pollMs }))
  const vendors = senders.map(({ vendor }) => vendor)
  let nextSweep = 0

  async function spread(): Promise<number> {
    return inTransaction(db, async (tx) => {
      const waiting = await takeWaiting(tx, spreadAtOnce)
      if (waiting.length === 0) return 0
      await spreadNotices(tx, {
        ids: waiting.map(({ id }) => id),
        hiddenFrom: await findHidden(tx, waiting),
        vendors,
        firstAttemptAt: new Date(now().getTime() + graceMs),
      })
      return waiting.length
    })
  }

  async function run(): Promise<void> {
    while (!pause.isOver()) {
      try {
        if ((await spread()) > 0) {
          lanes.forEach((lane) => lane.nudge())
          continue
        }
        const at = now().getTime()
        if (at >= nextSweep) {
          nextSweep = at + sweepMs
          await deleteNoticesBefore(db, new Date(at - keptMs), sweptAtOnce)
        }
      } catch (error) {
        log.error({ err: error }, 'push notices could not be spread, trying again')
      }
      await pause.wait(pollMs)
    }
  }
  const running = run()

  return {
    nudge: () => pause.wake(),
    async stop() {
      pause.end()
      await running
      await Promise.all(lanes.map((lane) => lane.stop()))
      await Promise.all(senders.map((sender) => sender.close()))
    },
  }
}
