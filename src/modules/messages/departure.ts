import type { UserDeparture } from '../users/index.ts'
import { deleteMessagesOf } from './actions.ts'
import { findChannelsWrittenIn } from './store.ts'

const deleteAllOf: NonNullable<UserDeparture['banned']> = async (tx, viewer, userId) => {
  for (const channelId of await findChannelsWrittenIn(tx, userId))
    await deleteMessagesOf(tx, viewer, channelId, [userId])
}

/** What somebody said in chats goes when they are banned from the network, or deleted with it. */
export const messageDeparture: UserDeparture = {
  banned: deleteAllOf,
  async deleted(tx, viewer, userId, { deleteAll, markMessageDeleted }) {
    if (deleteAll || markMessageDeleted) await deleteAllOf(tx, viewer, userId)
  },
}
