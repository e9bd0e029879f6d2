import { now } from '../../platform/clock.ts'
import { inTransaction, type Tx } from '../../kernel/database.ts'
import { inBatches } from '../../kernel/in-batches.ts'
import { defineJob } from '../../kernel/jobs.ts'
import { emit } from '../../kernel/outbox/emit.ts'
import { pollUpdated } from './events.ts'
import { findPollPost, findPollsById, findPollsToClose, lockPoll, updatePoll } from './store.ts'
import { subjectOf } from './subject.ts'

const batch = 100

/** Tells of polls that are closed because their time has come. Wakes up at that time; now and then in case it did not. */
export const closingPolls = defineJob({
  name: 'polls.close',
  everyMs: 60_000,
  async run({ db, signal }) {
    await inBatches(
      signal,
      () => findPollsToClose(db, now(), batch),
      (id) => inTransaction(db, (tx) => tellClosed(tx, id)),
    )
  },
})

async function tellClosed(tx: Tx, id: string): Promise<void> {
  const [poll] = (await lockPoll(tx, id)) ? await findPollsById(tx, [id]) : []
  if (!poll || poll.isClosingTold) return
  await updatePoll(tx, id, { isClosingTold: true, updatedAt: now() })
  if (poll.isDeleted) return
  await emit(tx, pollUpdated, {
    actorId: null,
    subject: subjectOf({ poll, post: await findPollPost(tx, id) }),
  })
}
