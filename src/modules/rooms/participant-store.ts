import type { Insertable, Updateable } from 'kysely'
import type { DB } from '../../../db/tables.ts'
import type { Tx } from '../../kernel/database.ts'

/** Adds a participant; answers false for one that was there. */
export async function insertParticipant(
  tx: Tx,
  participant: Insertable<DB['roomParticipants']>,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('roomParticipants')
    .values(participant)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n
}

export async function updateParticipant(
  tx: Tx,
  roomId: string,
  userId: string,
  changes: Updateable<DB['roomParticipants']>,
): Promise<void> {
  await tx
    .updateTable('roomParticipants')
    .set(changes)
    .where('roomId', '=', roomId)
    .where('userId', '=', userId)
    .execute()
}

/** Takes everybody off the stage of a room that is over. */
export async function clearStage(tx: Tx, roomId: string): Promise<void> {
  await tx
    .updateTable('roomParticipants')
    .set({ isOnStage: false, isPublishing: false })
    .where('roomId', '=', roomId)
    .execute()
}

export async function deleteParticipant(tx: Tx, roomId: string, userId: string): Promise<void> {
  await tx.deleteFrom('roomParticipants').where('roomId', '=', roomId).where('userId', '=', userId).execute()
}
