import { now } from '../../platform/clock.ts'
import type { Stage } from '../../platform/stage/stage.ts'
import type { Log } from '../../platform/log.ts'
import { isSameSecret } from '../../platform/tokens/signed-query.ts'
import { inTransaction, type Db, type Tx } from '../../kernel/database.ts'
import type { LiveSource, RecordedFacts, RecordedFile } from '../streams/index.ts'
import { endRoom, goLive, markRecorded, moveRoom, touchRoom } from './life-cycle.ts'
import type { RoomMedia } from './media.ts'
import {
  findRecording,
  findUnrecorded,
  findUnseen,
  insertRecordings,
  isWatchable,
  touchRooms,
} from './media-store.ts'
import { isOnAir, isOver } from './policy.ts'
import { prefix } from './present.ts'
import { lookAtStage } from './on-stage.ts'
import { findBannedFrom, findRoomsById, lockRoom, type RoomRow } from './store.ts'

export interface RoomSourceOptions {
  db: Db
  media: RoomMedia
  log: Log
  stage: Stage | null
  /** How long a room waits for its media to come back, in ms. */
  graceMs: number
}

/** How long the word of a stage's webhooks is taken before the stage is looked at, in ms. */
const trustMs = 10_000

/**
 * Rooms as the media engine knows them: what a host streams, or what co-hosts are mixed into. Of the latter the engine
 * only decides whether there is something to play; whether they are live is what their stage says.
 */
export function createRoomSource({ db, media, log, stage, graceMs }: RoomSourceOptions): LiveSource {
  const change = <T>(id: string, otherwise: T, work: (tx: Tx, room: RoomRow) => Promise<T>): Promise<T> =>
    inTransaction(db, async (tx) => {
      const room = await lockRoom(tx, id)
      return !room || room.isDeleted ? otherwise : work(tx, room)
    })

  return {
    prefix,
    keepsPicture: true,
    async mayPublish(id, key) {
      const [room] = await findRoomsById(db, [id])
      if (!room || room.isDeleted) return { refuse: 'There is no such room.' }
      if (isOver(room)) return { refuse: 'The room is over.' }
      if (room.streamKey === null || key === undefined || !isSameSecret(key, room.streamKey))
        return { refuse: 'The stream key is not valid.' }
      return { streamId: id }
    },
    needed: async (id) => ((await isWatchable(db, id)) ? 'signature' : 'missing'),
    isBanned: async (id, viewerId) => (await findBannedFrom(db, viewerId, [id])).has(id),
    lives: (id) =>
      change(id, false, async (tx, room) => {
        if (isOver(room)) return false
        if (room.type === 'directStreaming' && room.status !== 'live')
          return goLive(tx, room, { hasMedia: true })
        if (!room.hasMedia) await touchRoom(tx, id, null, { hasMedia: true })
        return true
      }),
    interrupted: (id) =>
      change(id, undefined, async (tx, room) => {
        if (room.type === 'directStreaming') await moveRoom(tx, room, 'waitingReconnect', null)
      }),
    refused: (id) =>
      change(id, undefined, async (tx, room) => {
        await moveRoom(tx, room, 'error', null)
      }),
    over: (id) =>
      change(id, undefined, async (tx, room) => {
        const isSeen = room.seenAt !== null && now().getTime() - room.seenAt.getTime() < graceMs
        // What mixed the co-hosts stopped; they may still be there.
        if (room.type === 'coHosts' && isOnAir(room) && isSeen)
          return touchRoom(tx, id, null, { hasMedia: false, egressId: null })
        await endRoom(tx, media, room, 'ended', null)
      }),
    recorded: (id: string, files: RecordedFile[], facts: RecordedFacts) =>
      change(id, false, async (tx, room) => {
        if (room.status === 'terminated' || room.recordings.length > 0) return false
        await insertRecordings(
          tx,
          files.map((file) => ({ roomId: id, ...file, ...facts })),
        )
        await markRecorded(tx, room)
        return true
      }),
    findRecording: (id, name) => findRecording(db, id, name),
    touch: (ids, at) => touchRooms(db, ids, at),
    findSilent: (since) => findUnseen(db, since),
    findUnrecorded: (ids) => findUnrecorded(db, ids),
    async watch(at) {
      if (!stage) return
      for (const id of await findUnseen(db, new Date(at.getTime() - trustMs), 'coHosts'))
        await lookAtStage(db, stage, log, id)
    },
  }
}
