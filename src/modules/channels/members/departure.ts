import { inTransaction } from '../../../kernel/database.ts'
import type { UserDeparture } from '../../users/index.ts'
import { removeChannelMembers } from './actions.ts'
import { findOpenChannelsOf } from './store.ts'

const batch = 100

/**
 * Who is banned from the network or deleted is no member of any channel any more. Conversations keep them: they belong
 * to those who are in them, and say who that was. A community's channel follows its community.
 */
export const channelDeparture: UserDeparture = {
  async clear({ db, signal }, viewer, userId) {
    while (!signal.aborted) {
      const ids = await findOpenChannelsOf(db, userId, batch)
      if (ids.length === 0) return
      for (const id of ids) {
        if (signal.aborted) return
        await inTransaction(db, (tx) => removeChannelMembers(tx, viewer, id, [userId]))
      }
    }
  },
}
