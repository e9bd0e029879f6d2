import { now } from '../../platform/clock.ts'
import type { QuerySigner } from '../../platform/tokens/signed-query.ts'
import type { Db } from '../../kernel/database.ts'
import { byId, slot, type Resource, type Slot } from '../../kernel/envelope/resource.ts'
import { shape } from '../../kernel/envelope/shape.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import { blockedIds } from '../follows/index.ts'
import { findInvited } from '../invitations/index.ts'
import { postCommentTarget, postShape } from '../posts/index.ts'
import { signatureMs, type StreamAddresses } from '../streams/index.ts'
import { canManageRoom } from './policy.ts'
import { presentRoom, type RoomState } from './present.ts'
import { Room } from './schema.ts'
import { findBannedFrom, findRoomsById, type RoomRow } from './store.ts'

/** Of some rooms those the viewer may read: to take part in, not posted anywhere, or in a post they may read. */
export async function findReadableRooms(db: Db, viewer: Viewer, rows: RoomRow[]): Promise<Set<string>> {
  const others = rows.filter((row) => !canManageRoom(viewer, row) && !isParticipant(viewer, row))
  const readable = new Set(rows.map((row) => row.id))
  if (others.length === 0) return readable
  const postIds = others.flatMap((row) => row.postId ?? [])
  const [posts, blocked, invited] = await Promise.all([
    postIds.length > 0 ? postCommentTarget.findReadable(db, viewer, postIds) : new Map<string, unknown>(),
    blockedIds(db, viewer.id),
    findInvited(
      db,
      'room',
      others.map((row) => row.id),
      viewer.id,
    ),
  ])
  const shut = new Set<string>(blocked)
  for (const { id, postId, userId } of others) {
    if (invited.has(id)) continue
    if (postId === null ? shut.has(userId) : !posts.has(postId)) readable.delete(id)
  }
  return readable
}

function isParticipant(viewer: { id: string }, { participants }: RoomRow): boolean {
  return participants.some((one) => one.userId === viewer.id)
}

/** A room with what opens it to everybody it is told to at once: those who may hear of it. */
interface LoadedRoom extends RoomRow {
  everybody: RoomState
}

function roomResource(signer: QuerySigner): Resource<LoadedRoom, RoomState> {
  const expires = () => new Date(now().getTime() + signatureMs)
  const stateOf = (row: RoomRow, bearer: string): RoomState => ({
    isReadable: true,
    isBanned: false,
    query: signer.sign(row.id, bearer, expires()),
  })
  return {
    name: 'rooms',
    async load(db, ids) {
      const rows = await findRoomsById(db, ids)
      return byId(
        rows.map((row) => ({ ...row, everybody: stateOf(row, '') })),
        (row) => row.id,
      )
    },
    references: (row) => ({
      users: [row.userId, ...row.participants.map((one) => one.userId)],
      files: [row.thumbnailFileId],
      roomChildrens: row.childIds,
    }),
    async viewerState({ db, viewer }, rows) {
      const list = [...rows.values()]
      const [readable, banned] = await Promise.all([
        findReadableRooms(db, viewer, list),
        findBannedFrom(db, viewer.id, [...rows.keys()]),
      ])
      return new Map(
        list.map((row) => [
          row.id,
          {
            ...stateOf(row, viewer.id),
            isReadable: readable.has(row.id),
            isBanned: banned.has(row.id) && !canManageRoom(viewer, row),
          },
        ]),
      )
    },
    visible: (_row, _viewer, state) => state?.isReadable === true,
  }
}

/** Rooms are shown with absolute, signed addresses. */
export function roomSlots(addresses: StreamAddresses, signer: QuerySigner): Record<string, Slot> {
  const rooms = slot(roomResource(signer), Room, (row, state) =>
    presentRoom(row, state ?? row.everybody, addresses),
  )
  return { rooms, roomChildrens: rooms }
}

/** What every operation on rooms answers. */
export const roomShape = shape('rooms', 'roomChildrens', 'users', 'files')
/** Rooms with the posts that show them. */
export const liveRoomsShape = shape(postShape, 'rooms', 'roomChildrens', 'videoStreamingChildren')
