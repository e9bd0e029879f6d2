import { now } from '../../platform/clock.ts'
import { inTransaction, type Tx } from '../../kernel/database.ts'
import { inBatches } from '../../kernel/in-batches.ts'
import { defineJob } from '../../kernel/jobs.ts'
import { emit } from '../../kernel/outbox/emit.ts'
import { subjectOf } from './actions.ts'
import { eventStarted } from './events.ts'
import { findStarting, lockEvent, updateEvent } from './store.ts'

const batch = 100

/** Tells of events whose time has come, once. What was called off or deleted before is told of no more. */
export const startingEvents = defineJob({
  name: 'events.start',
  everyMs: 15_000,
  async run({ db, signal }) {
    await inBatches(
      signal,
      () => findStarting(db, now(), batch),
      (id) => inTransaction(db, (tx) => tellStarted(tx, id)),
    )
  },
})

async function tellStarted(tx: Tx, id: string): Promise<void> {
  const event = await lockEvent(tx, id)
  // It may have been moved, or told by another node, while this one waited for it.
  if (!event || event.isStartTold || event.startTime > now()) return
  await updateEvent(tx, id, { isStartTold: true })
  if (event.isDeleted || event.cancelledAt !== null) return
  await emit(tx, eventStarted, { actorId: event.userId, subject: subjectOf(event) })
}
