import type { Routes } from '../../kernel/http/routes.ts'
import { iso, Success } from '../../kernel/schema.ts'
import { createRoom, deleteRoom, stopRoom, updateRoom, type OwnedMedia } from './actions.ts'
import type { RoomMedia } from './media.ts'
import { moderateRoom } from './moderating.ts'
import { leaveRoom, removeParticipant, updateCoHost } from './participants.ts'
import {
  listLiveRooms,
  listRooms,
  readBroadcaster,
  readRecorded,
  requireReadableRoom,
  type RoomServers,
} from './queries.ts'
import { liveRoomsShape, roomShape } from './resource.ts'
import {
  BroadcasterData,
  CreateRoomBody,
  ListRoomsQuery,
  LiveRoomsQuery,
  ModerateBody,
  ParticipantBody,
  ParticipantParams,
  RecordedUrl,
  RoomIdParams,
  UpdateRoomBody,
} from './schema.ts'

const tag = 'Room'
const path = '/api/v1/rooms'
const one = (id: string) => ({ roots: { rooms: [id] } })
const success = { body: { success: true } }

export function roomRoutes(routes: Routes, media: OwnedMedia, servers: RoomServers): void {
  const { read, write } = routes
  write(
    'POST',
    path,
    { summary: 'Create a room', tag, body: CreateRoomBody, answers: roomShape },
    async (tx, { viewer, body }) => one(await createRoom(tx, viewer, body, servers.stage !== null)),
  )
  read(
    'GET',
    path,
    { summary: 'List rooms', tag, query: ListRoomsQuery, answers: roomShape, paged: true },
    async (db, { viewer, query }) => {
      const { rows, paging } = await listRooms(db, viewer, query)
      return { roots: { rooms: rows.map((row) => row.id) }, paging }
    },
  )
  read(
    'GET',
    `${path}/lives`,
    { summary: 'List the posts of live rooms', tag, query: LiveRoomsQuery, answers: liveRoomsShape },
    async (db, { viewer, query }) => {
      const rows = await listLiveRooms(db, viewer, query)
      return { roots: { rooms: rows.map((row) => row.id), posts: rows.map((row) => row.postId!) } }
    },
  )
  read(
    'GET',
    `${path}/:roomId`,
    { summary: 'Get a room', tag, params: RoomIdParams, answers: roomShape },
    async (db, { viewer, params }) => one((await requireReadableRoom(db, viewer, params.roomId)).id),
  )
  write(
    'PUT',
    `${path}/:roomId`,
    { summary: 'Update a room', tag, params: RoomIdParams, body: UpdateRoomBody, answers: roomShape },
    async (tx, { viewer, params: { roomId }, body }) => {
      await updateRoom(tx, viewer, roomId, body)
      return one(roomId)
    },
  )
  write(
    'DELETE',
    `${path}/:roomId`,
    { summary: 'Delete a room', tag, params: RoomIdParams, answers: { schema: Success } },
    async (tx, { viewer, params }) => {
      await deleteRoom(tx, media, viewer, params.roomId)
      return success
    },
  )
  write(
    'POST',
    `${path}/:roomId/stop`,
    { summary: 'Stop a room', tag, params: RoomIdParams, answers: roomShape },
    async (tx, { viewer, params: { roomId } }) => {
      await stopRoom(tx, media, viewer, roomId)
      return one(roomId)
    },
  )
  write(
    'POST',
    `${path}/:roomId/moderation`,
    {
      summary: 'Report what was found in the pictures of a room',
      tag,
      params: RoomIdParams,
      body: ModerateBody,
      answers: roomShape,
    },
    async (tx, { viewer, params: { roomId }, body }) => {
      await moderateRoom(tx, media, viewer, roomId, body)
      return one(roomId)
    },
  )
  read(
    'GET',
    `${path}/:roomId/token`,
    {
      summary: 'Get what a broadcaster needs',
      tag,
      params: RoomIdParams,
      answers: { schema: BroadcasterData },
    },
    async (db, { viewer, params }) => ({ body: await readBroadcaster(db, servers, viewer, params.roomId) }),
  )
  read(
    'GET',
    `${path}/:roomId/recorded`,
    {
      summary: 'Get the recording of a room',
      tag,
      params: RoomIdParams,
      answers: { schema: RecordedUrl },
    },
    async (db, { viewer, params }) => {
      const { url, expiresAt } = await readRecorded(db, servers, viewer, params.roomId)
      return { body: { url, expiresAt: iso(expiresAt) } }
    },
  )
  participantRoutes(routes, media)
}

function participantRoutes({ write }: Routes, media: RoomMedia): void {
  write(
    'POST',
    `${path}/:roomId/leave`,
    { summary: 'Leave a room as a co-host', tag, params: RoomIdParams, answers: { schema: Success } },
    async (tx, { viewer, params }) => {
      await leaveRoom(tx, media, viewer, params.roomId)
      return success
    },
  )
  write(
    'PUT',
    `${path}/:roomId/participants/:userId`,
    {
      summary: 'Say what a co-host may do',
      tag,
      params: ParticipantParams,
      body: ParticipantBody,
      answers: roomShape,
    },
    async (tx, { viewer, params: { roomId, userId }, body }) => {
      await updateCoHost(tx, viewer, roomId, userId, body.canManageProductTags)
      return one(roomId)
    },
  )
  write(
    'DELETE',
    `${path}/:roomId/participants/:userId`,
    { summary: 'Remove a co-host', tag, params: ParticipantParams, answers: { schema: Success } },
    async (tx, { viewer, params }) => {
      await removeParticipant(tx, media, viewer, params.roomId, params.userId)
      return success
    },
  )
}
