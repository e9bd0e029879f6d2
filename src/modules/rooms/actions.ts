import { now } from '../../platform/clock.ts'
import { newId, newSecret } from '../../platform/ids.ts'
import type { Tx } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import { createChannelFor, deleteChannelFor, updateChannelFor } from '../channels/index.ts'
import { readSettings } from '../network-settings/index.ts'
import { requireLiveContent, type DiscardMedia } from '../streams/index.ts'
import { endRoom, touchRoom } from './life-cycle.ts'
import type { RoomMedia } from './media.ts'
import { deleteRecordings } from './media-store.ts'
import { insertParticipant } from './participant-store.ts'
import { canManageRoom, isOver } from './policy.ts'
import { findReadableRooms } from './resource.ts'
import type { CreateRoomBody, UpdateRoomBody } from './schema.ts'
import { insertRoom, lockRoom, updateRoomRow, type RoomRow } from './store.ts'

/** The media of rooms with how to delete what is kept of it. */
export interface OwnedMedia extends RoomMedia {
  discard: DiscardMedia
}

const maxChildren = 2

/** Makes a room, ready for its host; with the live chat its channel too. Answers its id. */
export async function createRoom(
  tx: Tx,
  viewer: Viewer,
  body: CreateRoomBody,
  canCoHost: boolean,
): Promise<string> {
  const { title, description = null, metadata, parentRoomId, type = 'directStreaming' } = body
  if (!(await readSettings(tx, 'video-streaming')).enabled)
    fail('forbidden', 'video streaming is switched off')
  if (type === 'coHosts' && !canCoHost) fail('notConfigured', 'rooms of co-hosts need a LiveKit server')
  await requireLiveContent(tx, viewer, body)
  const parent = parentRoomId ? await lockParent(tx, viewer, parentRoomId) : null
  const id = newId()
  const at = now()
  const liveChatEnabled = body.liveChatEnabled ?? true
  await insertRoom(tx, {
    id,
    userId: viewer.id,
    parentId: parent?.id ?? null,
    type,
    title,
    description,
    thumbnailFileId: body.thumbnailFileId || null,
    metadata: JSON.stringify(metadata ?? {}),
    liveChatEnabled,
    streamKey: newSecret(24),
    moderationId: newId(),
    ...placeOf(parent),
    createdAt: at,
    updatedAt: at,
  })
  const host = { roomId: id, userId: viewer.id, type: 'host', canManageProductTags: true, createdAt: at }
  await insertParticipant(tx, host)
  if (liveChatEnabled && parent === null) await openChat(tx, viewer, id, title)
  return id
}

/** Makes the room that an event is held in: one host, who publishes from their encoder. Answers its id. */
export async function openEventRoom(
  tx: Tx,
  viewer: Viewer,
  event: { title: string; description: string; coverImageFileId: string | null },
): Promise<string> {
  const { title, description, coverImageFileId: thumbnailFileId } = event
  return createRoom(tx, viewer, { title, description, ...(thumbnailFileId && { thumbnailFileId }) }, false)
}

/** Changes what a room says of itself, whether it has a chat, and whose other camera it is. */
export async function updateRoom(tx: Tx, viewer: Viewer, id: string, body: UpdateRoomBody): Promise<void> {
  const room = await lockOwnRoom(tx, viewer, id)
  await requireLiveContent(tx, viewer, body)
  const { title, description, thumbnailFileId, metadata, liveChatEnabled, parentRoomId } = body
  const place = parentRoomId ? await moveBelow(tx, viewer, room, parentRoomId) : {}
  if (liveChatEnabled !== undefined) await switchChat(tx, viewer, room, liveChatEnabled, title ?? room.title)
  else if (title !== undefined && room.channelInternalId !== null)
    await updateChannelFor(tx, viewer, room.channelInternalId, { displayName: title.slice(0, 100) })
  await touchRoom(tx, id, viewer.id, {
    ...place,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(thumbnailFileId !== undefined && { thumbnailFileId: thumbnailFileId || null }),
    ...(metadata !== undefined && { metadata: JSON.stringify(metadata ?? {}) }),
    ...(liveChatEnabled !== undefined && { liveChatEnabled }),
  })
}

/** Stops a room for good, whether it was ever live or not. Stopping it again changes nothing. */
export async function stopRoom(tx: Tx, media: RoomMedia, viewer: Viewer, id: string): Promise<void> {
  await endRoom(tx, media, await lockOwnRoom(tx, viewer, id), 'ended', viewer.id)
}

/** Deletes a room with its children, its live channel and its recordings. What it was stays readable by its id. */
export async function deleteRoom(tx: Tx, media: OwnedMedia, viewer: Viewer, id: string): Promise<void> {
  const room = await lockOwnRoom(tx, viewer, id)
  for (const childId of room.childIds) {
    const child = await lockRoom(tx, childId)
    if (child && !child.isDeleted) await remove(tx, media, viewer, child)
  }
  await remove(tx, media, viewer, room)
}

/** Deletes a locked room; checks nothing. */
export async function remove(tx: Tx, media: OwnedMedia, viewer: Viewer, room: RoomRow): Promise<void> {
  // Its recording goes too, so nobody is told that there is one.
  await endRoom(tx, media, { ...room, recordings: [] }, 'ended', viewer.id)
  const at = now()
  await updateRoomRow(tx, room.id, { isDeleted: true, deletedAt: at, deletedBy: viewer.id, updatedAt: at })
  if (room.channelInternalId !== null) await deleteChannelFor(tx, viewer, room.channelInternalId)
  await media.discard(tx, room.id, await deleteRecordings(tx, room.id))
}

/** Locks a living room that the viewer may manage: `notFound` for others' hidden ones, else `permissionDenied`. */
export async function lockOwnRoom(tx: Tx, viewer: Viewer, id: string): Promise<RoomRow> {
  const room = await lockRoom(tx, id)
  if (!room || room.isDeleted) return fail('notFound')
  if (canManageRoom(viewer, room)) return room
  const readable = await findReadableRooms(tx, viewer, [room])
  return fail(readable.has(id) ? 'permissionDenied' : 'notFound')
}

// The parent is locked, so that of two children at once the third fails.
async function lockParent(tx: Tx, viewer: Viewer, id: string): Promise<RoomRow> {
  const parent = await lockOwnRoom(tx, viewer, id)
  if (parent.parentId !== null) fail('badRequest', 'parentRoomId is itself a child room')
  if (isOver(parent)) fail('badRequest', 'the parent room is over')
  if (parent.childIds.length >= maxChildren) fail('badRequest', `at most ${maxChildren} child rooms`)
  return parent
}

// A child is seen by whoever sees its parent.
function placeOf(parent: RoomRow | null) {
  if (parent === null) return {}
  const { postId, childPostId, targetType, targetId } = parent
  return { postId, childPostId, targetType, targetId }
}

async function moveBelow(tx: Tx, viewer: Viewer, room: RoomRow, parentId: string) {
  if (room.parentId === parentId) return {}
  if (parentId === room.id) fail('badRequest', 'a room is no child of itself')
  if (room.childIds.length > 0) fail('badRequest', 'the room has children of its own')
  if (room.postId !== null) fail('badRequest', 'the room is shown by a post of its own')
  return { parentId, ...placeOf(await lockParent(tx, viewer, parentId)) }
}

async function openChat(tx: Tx, viewer: Viewer, roomId: string, title: string): Promise<void> {
  const displayName = title.slice(0, 100)
  await createChannelFor(tx, viewer, { type: 'live', displayName, isPublic: true, roomId })
}

async function switchChat(
  tx: Tx,
  viewer: Viewer,
  room: RoomRow,
  isEnabled: boolean,
  title: string,
): Promise<void> {
  const { channelInternalId } = room
  if (isEnabled && channelInternalId === null && room.parentId === null)
    await openChat(tx, viewer, room.id, title)
  if (!isEnabled && channelInternalId !== null) await deleteChannelFor(tx, viewer, channelInternalId)
}
