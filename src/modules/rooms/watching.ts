import { now } from '../../platform/clock.ts'
import { newId } from '../../platform/ids.ts'
import type { Tx } from '../../kernel/database.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import { readReportedTime } from '../streams/index.ts'
import { upsertSessions } from './media-store.ts'
import { findReadableRooms } from './resource.ts'
import type { WatchedRoom } from './schema.ts'
import { findBannedFrom, findRoomsById } from './store.ts'

/**
 * Notes what a client says its user watched. Rooms that are gone, hidden or never began, and times that cannot be, are
 * passed over: clients report late, and the report is never answered.
 */
export async function recordWatching(tx: Tx, viewer: Viewer, watched: WatchedRoom[]): Promise<void> {
  const rows = await findRoomsById(tx, [...new Set(watched.map((one) => one.roomId))])
  const begun = rows.filter((row) => row.liveAt !== null && !row.isDeleted)
  const readable = await findReadableRooms(tx, viewer, begun)
  const banned = await findBannedFrom(tx, viewer.id, [...readable])
  const seenAt = now()
  const sessions = watched.flatMap(({ roomId, sessionId, startTime, endTime, watchSeconds }) => {
    const startedAt = readReportedTime(startTime)
    const endedAt =
      endTime === '' && startedAt
        ? new Date(startedAt.getTime() + watchSeconds * 1000)
        : readReportedTime(endTime)
    if (!begun.some((row) => row.id === roomId) || !readable.has(roomId) || banned.has(roomId)) return []
    if (startedAt === null || endedAt === null || endedAt < startedAt) return []
    const seconds = Math.min(watchSeconds, (endedAt.getTime() - startedAt.getTime()) / 1000 + 1)
    const key = { roomId, userId: viewer.id, sessionId: sessionId ?? newId() }
    return { ...key, startedAt, endedAt, watchSeconds: seconds, seenAt }
  })
  // A session that is named twice in one report counts as it was told last.
  const latest = new Map(sessions.map((session) => [`${session.roomId} ${session.sessionId}`, session]))
  await upsertSessions(tx, [...latest.values()])
}
