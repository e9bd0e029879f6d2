import type { Tx } from '../../kernel/database.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import type { UserDeparture } from '../users/index.ts'
import { end, remove, type DiscardMedia } from './actions.ts'
import { findStreamIdsOf, lockStream } from './store.ts'

/** Whoever is banned from the network or deleted stops streaming; with all that is deleted go the streams too. */
export function streamDeparture(discard: DiscardMedia): UserDeparture {
  async function each(tx: Tx, userId: string, act: typeof endOne, viewer: Viewer): Promise<void> {
    for (const id of await findStreamIdsOf(tx, userId)) await act(tx, viewer, id)
  }

  async function endOne(tx: Tx, viewer: Viewer, id: string): Promise<void> {
    const stream = await lockStream(tx, id)
    if (stream) await end(tx, viewer.id, stream)
  }

  async function removeOne(tx: Tx, viewer: Viewer, id: string): Promise<void> {
    const stream = await lockStream(tx, id)
    if (stream && !stream.isDeleted) await remove(tx, discard, viewer, stream)
  }

  return {
    banned: (tx, viewer, userId) => each(tx, userId, endOne, viewer),
    deleted: (tx, viewer, userId, { deleteAll }) => each(tx, userId, deleteAll ? removeOne : endOne, viewer),
  }
}
