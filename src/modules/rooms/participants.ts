import { now } from '../../platform/clock.ts'
import type { Tx } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import { emit } from '../../kernel/outbox/emit.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import { lockOwnRoom } from './actions.ts'
import { participantJoined, participantLeft, participantRemoved } from './events.ts'
import { touchRoom } from './life-cycle.ts'
import type { RoomMedia } from './media.ts'
import { deleteParticipant, insertParticipant, updateParticipant } from './participant-store.ts'
import { findReadableRooms } from './resource.ts'
import { lockRoom, updateRoomRow, type ParticipantRow, type RoomRow } from './store.ts'

/** Makes the viewer a co-host of a locked room. */
export async function joinRoom(tx: Tx, viewer: Viewer, room: RoomRow): Promise<void> {
  const at = now()
  const participant = { roomId: room.id, userId: viewer.id, canManageProductTags: false, createdAt: at }
  if (!(await insertParticipant(tx, { ...participant, type: 'coHost' }))) return
  await updateRoomRow(tx, room.id, { updatedAt: at })
  await emit(tx, participantJoined, { actorId: viewer.id, subject: { id: room.id, userId: viewer.id } })
}

/** A co-host leaves. The host cannot: a room without one is stopped. */
export async function leaveRoom(tx: Tx, media: RoomMedia, viewer: Viewer, id: string): Promise<void> {
  const room = await lockRoom(tx, id)
  if (!room || room.isDeleted) return fail('notFound')
  const participant = room.participants.find((one) => one.userId === viewer.id)
  if (participant?.type === 'host') fail('conflict', 'the host stops a room instead of leaving it')
  if (!participant) {
    // A viewer who leaves has nothing to take back.
    return (await findReadableRooms(tx, viewer, [room])).has(id) ? undefined : fail('notFound')
  }
  await takeOff(tx, media, room, viewer.id)
  await emit(tx, participantLeft, { actorId: viewer.id, subject: { id, userId: viewer.id } })
}

/** Takes a co-host (public id) off: they may not come back without another invitation. */
export async function removeParticipant(
  tx: Tx,
  media: RoomMedia,
  viewer: Viewer,
  id: string,
  userId: string,
): Promise<void> {
  const room = await lockOwnRoom(tx, viewer, id)
  await removeCoHost(tx, media, viewer, room, requireCoHost(room, userId).userId)
}

/** Takes a co-host (internal id) off a locked room; checks nothing. */
export async function removeCoHost(
  tx: Tx,
  media: RoomMedia,
  viewer: Viewer,
  room: RoomRow,
  userId: string,
): Promise<void> {
  await takeOff(tx, media, room, userId)
  await emit(tx, participantRemoved, { actorId: viewer.id, subject: { id: room.id, userId } })
}

/** Says whether a co-host (public id) may tag products. */
export async function updateCoHost(
  tx: Tx,
  viewer: Viewer,
  id: string,
  userId: string,
  canManageProductTags: boolean,
): Promise<void> {
  const room = await lockOwnRoom(tx, viewer, id)
  await updateParticipant(tx, id, requireCoHost(room, userId).userId, { canManageProductTags })
  await touchRoom(tx, id, viewer.id)
}

async function takeOff(tx: Tx, media: RoomMedia, room: RoomRow, userId: string): Promise<void> {
  await deleteParticipant(tx, room.id, userId)
  await updateRoomRow(tx, room.id, { updatedAt: now() })
  if (room.type === 'coHosts') media.expel(tx, room.id, userId)
}

function requireCoHost(room: RoomRow, userPublicId: string): ParticipantRow {
  const found = room.participants.find((one) => one.userPublicId === userPublicId)
  if (!found) return fail('notFound', 'participant')
  return found.type === 'host' ? fail('badRequest', 'the host is not a co-host') : found
}
