import { now } from '../../platform/clock.ts'
import type { Log } from '../../platform/log.ts'
import type { Stage, StageEvent } from '../../platform/stage/stage.ts'
import { inTransaction, type Db, type Tx } from '../../kernel/database.ts'
import { emit } from '../../kernel/outbox/emit.ts'
import { stageJoined, stageLeft } from './events.ts'
import { endRoom, goLive, moveRoom, touchRoom } from './life-cycle.ts'
import type { RoomMedia } from './media.ts'
import { updateParticipant } from './participant-store.ts'
import { isOnAir } from './policy.ts'
import { findBannedFrom, findRoomsById, lockRoom, updateRoomRow, type RoomRow } from './store.ts'

export interface StageContext {
  media: RoomMedia
  log: Log
  /** Where what mixes the co-hosts publishes a room. */
  publishUrlOf(room: RoomRow): string
}

/** Takes in what the stage server told. It may tell twice, late, or of rooms that are gone. */
export async function applyStageEvent(db: Db, context: StageContext, event: StageEvent): Promise<void> {
  await inTransaction(db, async (tx) => {
    const room = await lockRoom(tx, event.roomId)
    if (!room || room.isDeleted || room.type !== 'coHosts') return
    switch (event.kind) {
      case 'joined':
        return joined(tx, context, room, event.userId)
      case 'watching':
        return watching(tx, context, room, event.userId)
      case 'left':
        return left(tx, room, event.userId)
      case 'publishing':
        return publishing(tx, db, context, room, event.userId)
      case 'finished':
        if (isOnAir(room)) await endRoom(tx, context.media, room, 'ended', null)
        return
      case 'mixEnded':
        if (event.error !== null) context.log.warn({ roomId: room.id, error: event.error }, 'mixing failed')
        if (room.egressId === event.egressId) await touchRoom(tx, room.id, null, { egressId: null })
    }
  })
}

async function joined(tx: Tx, { media }: StageContext, room: RoomRow, userId: string | null): Promise<void> {
  if (userId === null) return
  const participant = room.participants.find((one) => one.userId === userId)
  // Somebody who was removed came back with an old token.
  if (!participant) return media.expel(tx, room.id, userId)
  if (participant.isOnStage) return
  await updateParticipant(tx, room.id, userId, { isOnStage: true })
  await updateRoomRow(tx, room.id, { updatedAt: now() })
  await emit(tx, stageJoined, { actorId: userId, subject: { id: room.id, userId } })
}

// Somebody who was banned from its chat came with an old token.
async function watching(tx: Tx, { media }: StageContext, room: RoomRow, userId: string): Promise<void> {
  if ((await findBannedFrom(tx, userId, [room.id])).has(room.id)) media.expel(tx, room.id, userId)
}

async function left(tx: Tx, room: RoomRow, userId: string | null): Promise<void> {
  const participant = room.participants.find((one) => one.userId === userId)
  if (userId !== null && participant?.isOnStage) {
    await updateParticipant(tx, room.id, userId, { isOnStage: false, isPublishing: false })
    await updateRoomRow(tx, room.id, { updatedAt: now() })
    await emit(tx, stageLeft, { actorId: userId, subject: { id: room.id, userId } })
  }
  const others = room.participants.filter((one) => one.userId !== userId)
  if (!others.some((one) => one.isPublishing)) await moveRoom(tx, room, 'waitingReconnect', null)
}

async function publishing(
  tx: Tx,
  db: Db,
  { media, publishUrlOf }: StageContext,
  room: RoomRow,
  userId: string | null,
): Promise<void> {
  const participant = room.participants.find((one) => one.userId === userId)
  if (userId === null || !participant) return
  if (!participant.isPublishing)
    await updateParticipant(tx, room.id, userId, { isOnStage: true, isPublishing: true })
  if (room.status === 'live') return
  const isFirst = room.liveAt === null
  if (!(await goLive(tx, room)) || !isFirst) return
  // Once a life: a second mix would begin a second recording.
  const begun = (egressId: string) =>
    inTransaction(db, (after) => updateRoomRow(after, room.id, { egressId }))
  media.mix(tx, room.id, publishUrlOf(room), begun)
}

/** Asks the stage itself who is there, as webhooks can be lost. A server that cannot be reached says nothing. */
export async function lookAtStage(db: Db, stage: Stage, log: Log, roomId: string): Promise<void> {
  const [before] = await findRoomsById(db, [roomId])
  if (!before || !isOnAir(before)) return
  let there: string[]
  try {
    there = await stage.publishing(roomId)
  } catch (error) {
    return log.warn({ err: error, roomId }, 'a stage could not be looked at')
  }
  await inTransaction(db, async (tx) => {
    const room = await lockRoom(tx, roomId)
    if (!room || !isOnAir(room)) return
    const at = now()
    const isAlive = room.participants.some((one) => there.includes(one.userId))
    if (!isAlive) await moveRoom(tx, room, 'waitingReconnect', null)
    else if (!(await goLive(tx, room))) await updateRoomRow(tx, roomId, { seenAt: at })
  })
}
