import { now } from '../../platform/clock.ts'
import type { Db, Tx } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import { paths } from '../../kernel/paths.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import type { BanFollower } from '../channel-bans/index.ts'
import type { LiveReactionTarget } from '../live-reactions/index.ts'
import { findPostsById, type PostReference } from '../posts/index.ts'
import type { WatchedRooms } from '../presence/index.ts'
import { recheckAudience } from '../streams/index.ts'
import { lockOwnRoom } from './actions.ts'
import { endRoom } from './life-cycle.ts'
import type { RoomMedia } from './media.ts'
import { removeCoHost } from './participants.ts'
import { isOnAir } from './policy.ts'
import { prefix } from './present.ts'
import { requireWatchableRoom } from './queries.ts'
import { findRoomOfChannel, findRoomsOnAirIn, lockRoom, placeRoom } from './store.ts'

/** Rooms that are posted: a living parent room of the poster's, that no other living post shows. */
export function roomPostReference(media: RoomMedia): PostReference {
  return {
    dataType: 'room',
    async require(tx, viewer, id) {
      const room = await lockRoom(tx, id)
      if (!room || room.isDeleted || room.userId !== viewer.id) return fail('notFound', `room ${id}`)
      if (room.parentId !== null) fail('badRequest', `room ${id} is a child room`)
      const [post] = room.postId === null ? [] : await findPostsById(tx, [room.postId])
      if (post && !post.isDeleted) fail('conflict', `room ${id} is shown by another post`)
    },
    posted: (tx, id, { postId, childId, targetType, targetId }) =>
      placeRoom(tx, id, { postId, childPostId: childId, targetType, targetId, updatedAt: now() }),
    // One that has not begun can be posted again.
    async unposted(tx, viewer, postId) {
      for (const id of await findRoomsOnAirIn(tx, postId)) {
        const room = await lockRoom(tx, id)
        if (room && isOnAir(room)) await endRoom(tx, media, room, 'ended', viewer.id)
      }
    },
  }
}

/** Whoever is banned from a room's live channel may not watch the room either, nor be on its stage. */
export function roomBanFollower(media: RoomMedia): BanFollower {
  return {
    async changed(tx, viewer, channelId, userIds, isBan) {
      const roomId = await findRoomOfChannel(tx, channelId)
      const room = roomId === null ? undefined : await lockRoom(tx, roomId)
      if (!room) return
      await recheckAudience(tx, prefix + room.id)
      const banned = isBan ? userIds.filter((userId) => userId !== room.userId) : []
      for (const userId of banned)
        if (room.participants.some((one) => one.userId === userId))
          await removeCoHost(tx, media, viewer, room, userId)
        else if (room.type === 'coHosts') media.expel(tx, room.id, userId)
    },
  }
}

/** Rooms with a live channel that their host's client makes: their own, and one channel for each. */
export async function requireChattableRoom(tx: Tx, viewer: Viewer, id: string): Promise<void> {
  const room = await lockOwnRoom(tx, viewer, id)
  if (room.parentId !== null) fail('badRequest', 'roomId is a child room')
  if (!room.liveChatEnabled) fail('conflict', 'the chat of the room is switched off')
  if (room.channelId !== null) fail('conflict', 'the room has a live channel')
}

/** Reactions that fly over a live room, heard below the post that shows it. */
export const roomReactionTarget: LiveReactionTarget = {
  key: 'roomId',
  async resolve(db: Db, viewer: Viewer, id: string) {
    const room = await requireWatchableRoom(db, viewer, id)
    if (!isOnAir(room)) fail('badRequest', 'the room is not live')
    const { postId, childPostId, targetType, targetId } = room
    if (postId === null || targetType === null || targetId === null) return { id, postPaths: [] }
    const postPaths = [postId, childPostId ?? postId].map((one) => paths.post(targetType, targetId, one))
    return { id, postPaths: [...new Set(postPaths)] }
  },
}

/** Rooms in which people are seen to watch. */
export const watchedRooms: WatchedRooms = {
  resolve: async (db, viewer, roomId) => (await requireWatchableRoom(db, viewer, roomId)).id,
}
