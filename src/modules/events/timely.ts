import { Type } from 'typebox'
import { now } from '../../platform/clock.ts'
import { inTransaction, type Tx } from '../../kernel/database.ts'
import { inBatches } from '../../kernel/in-batches.ts'
import { defineJob, enqueue } from '../../kernel/jobs.ts'
import { emit } from '../../kernel/outbox/emit.ts'
import { iso } from '../../kernel/schema.ts'
import { eventReminder, eventStarted } from './events.ts'
import { findDue, lockEvent, updateEvent, type EventRow } from './store.ts'
import { subjectOf } from './subject.ts'

const batch = 100

type Timed = Pick<EventRow, 'id' | 'startTime' | 'remindAt' | 'isStartTold'>

/** Tells of one event what its time has come for. Wakes up at that time: for the reminder, then for the start. */
export const tellingOfEvent = defineJob({
  name: 'events.tell',
  schema: Type.Object({ id: Type.String() }),
  run: ({ db }, { id }) => inTransaction(db, (tx) => tellDue(tx, id)),
})

/**
 * Tells of all events what a wake-up should have told: it may have been lost, or wait for too long since a clock was set
 * ahead, and events that are older than wake-ups have none.
 */
export const tellingOfMissed = defineJob({
  name: 'events.start',
  everyMs: 60_000,
  async run({ db, signal }) {
    await inBatches(
      signal,
      () => findDue(db, now(), batch),
      (id) => inTransaction(db, (tx) => tellDue(tx, id)),
    )
  },
})

/** When to remind of an event that starts then; null for never. */
export function reminderTime(startTime: Date, reminderMs: number): Date | null {
  return reminderMs > 0 ? new Date(startTime.getTime() - reminderMs) : null
}

/** Has an event told of at the next of its times, in place of when it would have been. */
export async function wakeUpFor(tx: Tx, { id, startTime, remindAt, isStartTold }: Timed): Promise<void> {
  const runAt = remindAt ?? (isStartTold ? null : startTime)
  if (runAt) await enqueue(tx, tellingOfEvent, { id }, { runAt, key: `${tellingOfEvent.name} ${id}` })
}

/** Each once. What was called off or deleted before is told of no more, and what has started is not to come. */
async function tellDue(tx: Tx, id: string): Promise<void> {
  const event = await lockEvent(tx, id)
  if (!event) return
  // It may have been moved, or told by another node, while this one waited for it.
  const at = now()
  const starts = !event.isStartTold && event.startTime <= at
  const isSoon = event.remindAt !== null && event.remindAt <= at
  const told = {
    remindAt: starts || isSoon ? null : event.remindAt,
    isStartTold: event.isStartTold || starts,
  }
  if (starts || isSoon) await updateEvent(tx, id, told)
  if (event.isDeleted || event.cancelledAt !== null) return
  const happening = { actorId: event.userId, subject: subjectOf(event) }
  if (starts) await emit(tx, eventStarted, happening)
  else if (isSoon) {
    const subject = { ...happening.subject, startTime: iso(event.startTime) }
    await emit(tx, eventReminder, { ...happening, subject })
  }
  await wakeUpFor(tx, { ...event, ...told })
}
