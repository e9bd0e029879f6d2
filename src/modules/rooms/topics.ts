import type { TopicGuard } from '../../kernel/topics.ts'
import { findBannedFrom, findRoomsById } from './store.ts'
import { canManageRoom } from './policy.ts'
import { findReadableRooms } from './resource.ts'

/** Whoever may read a room hears of it, and of those on its stage. */
export const roomTopics: TopicGuard[] = [
  {
    pattern: 'room/:roomId',
    async allow(db, viewer, { roomId = '' }) {
      const [room] = await findRoomsById(db, [roomId])
      if (!room || !(await findReadableRooms(db, viewer, [room])).has(roomId)) return false
      return canManageRoom(viewer, room) || !(await findBannedFrom(db, viewer.id, [roomId])).has(roomId)
    },
  },
]
