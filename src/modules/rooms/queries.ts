import { now } from '../../platform/clock.ts'
import type { QuerySigner } from '../../platform/tokens/signed-query.ts'
import type { Stage } from '../../platform/stage/stage.ts'
import type { Db } from '../../kernel/database.ts'
import { byId } from '../../kernel/envelope/resource.ts'
import { fail } from '../../kernel/errors.ts'
import { parsePage, type Cursor, type Page } from '../../kernel/paging.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import { blockedIds } from '../follows/index.ts'
import {
  readablePage,
  recordingUrl,
  signatureMs,
  streamerUrl,
  type StreamAddresses,
} from '../streams/index.ts'
import { findUsersById } from '../users/index.ts'
import { canManageRoom, isOver } from './policy.ts'
import { playableRecordings, prefix } from './present.ts'
import { findReadableRooms } from './resource.ts'
import type { BroadcasterData, ListRoomsQuery, LiveRoomsQuery } from './schema.ts'
import { findBannedFrom, findRoomsById, queryRoomRows, type RoomFilter, type RoomRow } from './store.ts'

/** A room the viewer may read, deleted or not. Fails with `notFound`. */
export async function requireReadableRoom(db: Db, viewer: Viewer, id: string): Promise<RoomRow> {
  const [room] = await findRoomsById(db, [id])
  if (!room) return fail('notFound')
  return (await findReadableRooms(db, viewer, [room])).has(id) ? room : fail('notFound')
}

/** A living room that the viewer may watch. Fails with `notFound`, or `banned`. */
export async function requireWatchableRoom(db: Db, viewer: Viewer, id: string): Promise<RoomRow> {
  const room = await requireReadableRoom(db, viewer, id)
  if (room.isDeleted) return fail('notFound')
  if (!canManageRoom(viewer, room) && (await findBannedFrom(db, viewer.id, [id])).has(id)) fail('banned')
  return room
}

/** A page of the rooms that the viewer may read, newest first unless asked otherwise. */
export async function listRooms(db: Db, viewer: Viewer, query: ListRoomsQuery): Promise<Page<RoomRow>> {
  const { type, statuses, isDeleted, sortBy } = query
  return readPage(db, viewer, parsePage(query), {
    type,
    statuses: statuses?.length ? statuses : undefined,
    isDeleted,
    communityIds: null,
    isPosted: false,
    without: await blockedIds(db, viewer.id),
    order: sortBy === 'firstCreated' ? 'asc' : 'desc',
  })
}

/** So many live rooms are shown unless the client says otherwise. */
const shelfLimit = 100

/** The rooms on the air that are posted where the viewer may look, newest first. */
export async function listLiveRooms(db: Db, viewer: Viewer, query: LiveRoomsQuery): Promise<RoomRow[]> {
  const { targetTypes = ['all'], targetIds = [] } = query
  const isEverywhere = targetTypes.includes('all') && targetIds.length === 0
  const { rows } = await readPage(db, viewer, parsePage(query, shelfLimit), {
    type: undefined,
    statuses: ['live', 'waitingReconnect'],
    isDeleted: false,
    communityIds: isEverywhere ? null : targetIds,
    isPosted: true,
    without: await blockedIds(db, viewer.id),
    order: 'desc',
  })
  return rows
}

async function readPage(db: Db, viewer: Viewer, cursor: Cursor, filter: RoomFilter): Promise<Page<RoomRow>> {
  return readablePage(
    cursor,
    (position) => queryRoomRows(db, filter, position),
    async (ids) => {
      const rooms = await findRoomsById(db, ids)
      const readable = await findReadableRooms(db, viewer, rooms)
      return byId(
        rooms.filter(({ id }) => readable.has(id)),
        ({ id }) => id,
      )
    },
  )
}

export interface RoomServers {
  addresses: StreamAddresses
  signer: QuerySigner
  stage: Stage | null
}

/**
 * What the viewer needs to take part: of a direct stream the host's address; of co-hosts a token for where they meet,
 * with which those who are no participants can only watch.
 */
export async function readBroadcaster(
  db: Db,
  { addresses, stage }: RoomServers,
  viewer: Viewer,
  id: string,
): Promise<BroadcasterData> {
  const room = await requireWatchableRoom(db, viewer, id)
  if (isOver(room)) fail('conflict', 'the room is over')
  if (room.type === 'directStreaming') {
    if (!canManageRoom(viewer, room)) fail('permissionDenied')
    return { directStreamUrl: streamerUrl(addresses, prefix + id, room.streamKey).url }
  }
  if (!stage) return fail('notConfigured', 'rooms of co-hosts need a LiveKit server')
  const role = room.participants.find((one) => one.userId === viewer.id)?.type ?? 'viewer'
  if (role !== 'viewer') {
    try {
      await stage.open(id)
    } catch (error) {
      fail('unavailable', `the LiveKit server does not answer: ${(error as Error).message}`)
    }
  }
  const [user] = await findUsersById(db, [viewer.id])
  const name = user?.displayName || viewer.userId
  return { coHostToken: await stage.token(id, { userId: viewer.id, name, role }), coHostUrl: stage.url }
}

/** Where the recording of a room is, for as long as the address is good. Fails with `notFound` where there is none. */
export async function readRecorded(
  db: Db,
  { addresses, signer }: RoomServers,
  viewer: Viewer,
  id: string,
): Promise<{ url: string; expiresAt: Date }> {
  const room = await requireWatchableRoom(db, viewer, id)
  const [name] = playableRecordings(room)
  if (name === undefined) return fail('notFound', 'there is no recording')
  const expiresAt = new Date(now().getTime() + signatureMs)
  const query = signer.sign(id, viewer.id, expiresAt)
  return { url: recordingUrl(addresses, prefix + id, name, query), expiresAt }
}
