import { now } from '../../platform/clock.ts'
import { newId } from '../../platform/ids.ts'
import type { Db, Tx } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import { emit } from '../../kernel/outbox/emit.ts'
import { cutPage, parsePage, type Page } from '../../kernel/paging.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import { findUsersById, findUsersByPublicId } from '../users/index.ts'
import { lockOwnStream } from './actions.ts'
import { viewerBanned, viewerUnbanned } from './events.ts'
import { canManageStream } from './policy.ts'
import { requireReadableStream } from './queries.ts'
import { readReportedTime } from './reported-time.ts'
import { findReadableStreams } from './resource.ts'
import { recheckAudience } from './media-topics.ts'
import { findStreamsById } from './store.ts'
import {
  countViewers,
  deleteBans,
  findBannedFrom,
  insertBans,
  queryViewerRows,
  upsertSessions,
  type ViewerRow,
} from './viewer-store.ts'
import type { ListViewersQuery, WatchedStream } from './watching-schema.ts'

interface Session {
  streamId: string
  userId: string
  sessionId: string
  startedAt: Date
  endedAt: Date
  watchSeconds: number
  seenAt: Date
}

/** Clients report every 20 s; whoever was not heard of for three reports is gone. */
const watchingMs = 60_000

/**
 * Notes what a client says its user watched. Streams that are gone or hidden, and times that cannot be, are passed
 * over: clients report late, and the report is never answered.
 */
export async function recordWatching(tx: Tx, viewer: Viewer, watched: WatchedStream[]): Promise<void> {
  const rows = await findStreamsById(tx, [...new Set(watched.map((one) => one.streamId))])
  const begun = rows.filter((row) => row.status !== 'idle' && !row.isDeleted)
  const readable = await findReadableStreams(tx, viewer, begun)
  const banned = await findBannedFrom(tx, viewer.id, [...readable])
  const at = now()
  const sessions = new Map<string, Session>()
  for (const { streamId, sessionId, startTime, endTime, watchSeconds } of watched) {
    const [startedAt, endedAt] = [readReportedTime(startTime), readReportedTime(endTime)]
    if (!readable.has(streamId) || banned.has(streamId)) continue
    if (startedAt === null || endedAt === null || endedAt < startedAt) continue
    const seconds = Math.min(watchSeconds, (endedAt.getTime() - startedAt.getTime()) / 1000 + 1)
    const id = sessionId ?? newId()
    const key = `${streamId} ${id}`
    // A player that was paused reports each stretch.
    const before = sessions.get(key) ?? { startedAt, endedAt, watchSeconds: 0 }
    sessions.set(key, {
      streamId,
      userId: viewer.id,
      sessionId: id,
      startedAt: startedAt < before.startedAt ? startedAt : before.startedAt,
      endedAt: endedAt > before.endedAt ? endedAt : before.endedAt,
      watchSeconds: before.watchSeconds + seconds,
      seenAt: at,
    })
  }
  await upsertSessions(tx, [...sessions.values()])
}

/** Who watched a stream, and how many do now: for its maker and administrators. */
export async function listViewers(
  db: Db,
  viewer: Viewer,
  streamId: string,
  query: ListViewersQuery,
): Promise<Page<ViewerRow> & { watching: number }> {
  const stream = await requireReadableStream(db, viewer, streamId)
  if (!canManageStream(viewer, stream)) fail('permissionDenied')
  const since = new Date(now().getTime() - watchingMs)
  const cursor = parsePage(query)
  const rows = await queryViewerRows(db, streamId, query.isWatching === true ? since : null, cursor)
  const page = cutPage(rows, cursor, (row) => [row.firstSeenAt.getTime(), row.userId])
  return { ...page, watching: await countViewers(db, streamId, since) }
}

/** Shuts a stream to people (public ids), or opens it again. */
export async function banViewers(
  tx: Tx,
  viewer: Viewer,
  streamId: string,
  userIds: string[],
  isBan: boolean,
): Promise<void> {
  const stream = await lockOwnStream(tx, viewer, streamId)
  const found = await findUsersByPublicId(tx, userIds)
  const unknown = userIds.find((userId) => !found.some((user) => user.userId === userId))
  if (unknown !== undefined) fail('notFound', `user ${unknown}`)
  const ids = found.map((user) => user.id)
  if (ids.includes(stream.userId)) fail('badRequest', 'the maker of a stream cannot be banned from it')
  const at = now()
  const changed = isBan
    ? await insertBans(tx, { streamId, bannedBy: viewer.id, at }, ids)
    : await deleteBans(tx, streamId, ids)
  await tellBanned(tx, viewer, streamId, changed, isBan)
}

/** Tells people (internal ids) that a stream was shut to them, or opened again. */
export async function tellBanned(
  tx: Tx,
  viewer: Viewer,
  streamId: string,
  userIds: string[],
  isBan: boolean,
): Promise<void> {
  if (userIds.length === 0) return
  const users = (await findUsersById(tx, userIds)).map(({ id, userId }) => ({ id, userId }))
  const subject = { streamId, users, actor: viewer.userId, at: now().toISOString() }
  await emit(tx, isBan ? viewerBanned : viewerUnbanned, { actorId: viewer.id, subject })
  await recheckAudience(tx, streamId)
}
