import type { Tx } from '../../kernel/database.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import type { UserDeparture } from '../users/index.ts'
import { remove, type OwnedMedia } from './actions.ts'
import { endRoom } from './life-cycle.ts'
import { removeCoHost } from './participants.ts'
import { findRoomIdsOf, lockRoom } from './store.ts'

/** Whoever is banned from the network or deleted is on no stage; with all that is deleted go their rooms too. */
export function roomDeparture(media: OwnedMedia): UserDeparture {
  async function leave(tx: Tx, viewer: Viewer, userId: string, isAllDeleted: boolean): Promise<void> {
    for (const id of await findRoomIdsOf(tx, userId)) {
      const room = await lockRoom(tx, id)
      if (!room || room.isDeleted) continue
      if (room.userId !== userId) await removeCoHost(tx, media, viewer, room, userId)
      else if (isAllDeleted) await remove(tx, media, viewer, room)
      else await endRoom(tx, media, room, 'ended', viewer.id)
    }
  }

  return {
    banned: (tx, viewer, userId) => leave(tx, viewer, userId, false),
    deleted: (tx, viewer, userId, { deleteAll }) => leave(tx, viewer, userId, deleteAll),
  }
}
