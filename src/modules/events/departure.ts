import { inTransaction } from '../../kernel/database.ts'
import { inBatches } from '../../kernel/in-batches.ts'
import { now } from '../../platform/clock.ts'
import type { UserDeparture } from '../users/index.ts'
import { callOff, removeEvent } from './actions.ts'
import { statusOf } from './policy.ts'
import { setResponse } from './responding.ts'
import { findComingEventIds } from './response-store.ts'
import { findHostedEventIds, lockEvent } from './store.ts'

const batch = 100

/**
 * Who is banned or deleted hosts nothing and goes nowhere any more. What they host on their own page is called off,
 * and with everything of theirs all of it is deleted; an event of a community is left to those who look after it.
 */
export const eventDeparture: UserDeparture = {
  async clear({ db, signal }, viewer, userId, going) {
    const deletesAll = going.kind === 'deleted' && going.options.deleteAll
    await inBatches(
      signal,
      () => findHostedEventIds(db, userId, deletesAll ? 'all' : { openAt: now() }, batch),
      (id) =>
        inTransaction(db, async (tx) => {
          const event = await lockEvent(tx, id)
          if (!event || event.isDeleted) return
          if (deletesAll) await removeEvent(tx, viewer, event)
          else await callOff(tx, viewer, event)
        }),
    )
    await inBatches(
      signal,
      () => findComingEventIds(db, userId, now(), batch),
      (id) =>
        inTransaction(db, async (tx) => {
          const event = await lockEvent(tx, id)
          if (event && statusOf(event, now()) === 'scheduled')
            await setResponse(tx, viewer, event, userId, 'not_going')
        }),
    )
  },
}
