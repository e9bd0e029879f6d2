import { inTransaction } from '../../../kernel/database.ts'
import type { UserDeparture } from '../../users/index.ts'
import { answerJoinRequests } from '../join-requests/answer.ts'
import { findCommunitiesAsked } from '../join-requests/store.ts'
import { isMember } from '../policy.ts'
import { lockCommunity } from '../store.ts'
import { dismiss } from './changes.ts'
import { findCommunitiesOf, findMembership } from './store.ts'

const batch = 100

/** Who is banned from the network or deleted is no member anywhere any more, and asks to be none. */
export const memberDeparture: UserDeparture = {
  async clear({ db, signal }, viewer, userId) {
    const reason = viewer.id === userId ? 'left' : 'removed'
    while (!signal.aborted) {
      const ids = await findCommunitiesOf(db, userId, batch)
      if (ids.length === 0) break
      for (const id of ids) {
        if (signal.aborted) return
        await inTransaction(db, async (tx) => {
          const community = await lockCommunity(tx, id)
          const membership = await findMembership(tx, id, userId)
          if (community && membership && isMember(membership))
            await dismiss(tx, viewer, community, [membership], reason)
        })
      }
    }
    for (const id of await findCommunitiesAsked(db, userId)) {
      if (signal.aborted) return
      await inTransaction(db, async (tx) => {
        if (await lockCommunity(tx, id))
          await answerJoinRequests(tx, id, [userId], { status: 'rejected', responderId: viewer.id })
      })
    }
  },
}
