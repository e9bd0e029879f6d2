import { now } from '../../platform/clock.ts'
import type { Db, Tx } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import { paths } from '../../kernel/paths.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import type { LiveReactionTarget } from '../live-reactions/index.ts'
import { findPostsById, type PostReference } from '../posts/index.ts'
import type { WatchedRooms } from '../presence/index.ts'
import { lockOwnRoom } from './actions.ts'
import { isOnAir } from './policy.ts'
import { requireWatchableRoom } from './queries.ts'
import { lockRoom, placeRoom } from './store.ts'

/** Rooms that are posted: a living parent room of the poster's, that no other living post shows. */
export const roomPostReference: PostReference = {
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
