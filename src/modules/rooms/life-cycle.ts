import { now } from '../../platform/clock.ts'
import type { Tx } from '../../kernel/database.ts'
import { emit } from '../../kernel/outbox/emit.ts'
import { roomUpdated, statusEvents } from './events.ts'
import type { RoomMedia } from './media.ts'
import { clearStage } from './participant-store.ts'
import { mayBecome } from './policy.ts'
import type { RoomStatus } from './schema.ts'
import { updateRoomRow, type RoomRow } from './store.ts'

type Changes = Parameters<typeof updateRoomRow>[2]

/**
 * Brings a locked room to a status and tells of it. Answers false, having done nothing, when that status cannot follow
 * the one it has. `actorId` is null when the server does it by itself.
 */
export async function moveRoom(
  tx: Tx,
  room: RoomRow,
  status: RoomStatus,
  actorId: string | null,
  changes: Changes = {},
): Promise<boolean> {
  if (!mayBecome(room.status, status)) return false
  await updateRoomRow(tx, room.id, { status, updatedAt: now(), ...changes })
  await emit(tx, statusEvents[status], { actorId, subject: { id: room.id } })
  return true
}

/** Ends a locked room: whoever streams is sent away. Answers false when it was over before. */
export async function endRoom(
  tx: Tx,
  media: RoomMedia,
  room: RoomRow,
  status: 'ended' | 'terminated',
  actorId: string | null,
): Promise<boolean> {
  const changes = { endedAt: room.endedAt ?? now(), streamKey: null, egressId: null, hasMedia: false }
  if (!(await moveRoom(tx, room, status, actorId, changes))) return false
  await clearStage(tx, room.id)
  await media.stop(tx, room.id)
  // What mixed the co-hosts may have finished before the room did.
  if (status === 'ended' && room.recordings.length > 0) await markRecorded(tx, { ...room, status })
  return true
}

/** Says that the recording of a locked, ended room can be watched. */
export async function markRecorded(tx: Tx, room: RoomRow): Promise<void> {
  await moveRoom(tx, room, 'recorded', null, { recordedAt: now() })
}

/** Media of a locked room flows, for the first time or again. */
export async function goLive(tx: Tx, room: RoomRow, changes: Changes = {}): Promise<boolean> {
  const at = now()
  return moveRoom(tx, room, 'live', null, { liveAt: room.liveAt ?? at, seenAt: at, ...changes })
}

/** Something else of a room changed. */
export async function touchRoom(
  tx: Tx,
  roomId: string,
  actorId: string | null,
  changes: Changes = {},
): Promise<void> {
  await updateRoomRow(tx, roomId, { ...changes, updatedAt: now() })
  await emit(tx, roomUpdated, { actorId, subject: { id: roomId } })
}
