import { sql, type Insertable } from 'kysely'
import type { DB } from '../../../db/tables.ts'
import type { Db, Tx } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import type { Cursor } from '../../kernel/paging.ts'
import { anyOf } from '../../platform/database/any-of.ts'
import { keysetPage } from '../../platform/database/keyset.ts'

/** Adds watch sessions, or extends them: a client repeats a session with a later end. */
export async function upsertSessions(
  tx: Tx,
  sessions: Insertable<DB['videoStreamWatchSessions']>[],
): Promise<void> {
  if (sessions.length === 0) return
  await tx
    .insertInto('videoStreamWatchSessions')
    .values(sessions)
    .onConflict((conflict) =>
      conflict.columns(['streamId', 'userId', 'sessionId']).doUpdateSet({
        startedAt: sql`least(video_stream_watch_sessions.started_at, excluded.started_at)`,
        endedAt: sql`greatest(video_stream_watch_sessions.ended_at, excluded.ended_at)`,
        // What was said before, sent again, counts once.
        watchSeconds: sql`video_stream_watch_sessions.watch_seconds + case
          when excluded.ended_at > video_stream_watch_sessions.ended_at then excluded.watch_seconds else 0 end`,
        seenAt: sql`excluded.seen_at`,
      }),
    )
    .execute()
}

export interface ViewerRow {
  userId: string
  userPublicId: string
  firstSeenAt: Date
  lastSeenAt: Date
  watchSeconds: number
}

/** A page of those who watched a stream, the first to come first; `since` keeps those heard of since then. */
export async function queryViewerRows(
  db: Db,
  streamId: string,
  since: Date | null,
  cursor: Cursor,
): Promise<ViewerRow[]> {
  const viewers = db
    .selectFrom((query) =>
      query
        .selectFrom('videoStreamWatchSessions as session')
        .innerJoin('users', 'users.id', 'session.userId')
        .select(({ fn }) => [
          'session.userId',
          'users.userId as userPublicId',
          fn.min('session.startedAt').as('firstSeenAt'),
          fn.max('session.seenAt').as('lastSeenAt'),
          sql<number>`sum(session.watch_seconds)`.as('watchSeconds'),
        ])
        .where('session.streamId', '=', streamId)
        .groupBy(['session.userId', 'users.userId'])
        .as('viewer'),
    )
    .selectAll('viewer')
    .$if(since !== null, (query) => query.where('viewer.lastSeenAt', '>=', since!))
  const columns = [
    { column: 'viewer.firstSeenAt', type: 'time' as const },
    { column: 'viewer.userId', type: 'text' as const },
  ]
  return (keysetPage(viewers, cursor, columns, 'asc') ?? fail('badPageToken')).execute()
}

/** How many people were heard of watching since then. */
export async function countViewers(db: Db, streamId: string, since: Date): Promise<number> {
  const row = await db
    .selectFrom('videoStreamWatchSessions')
    .select(sql<number>`count(distinct user_id)::int`.as('count'))
    .where('streamId', '=', streamId)
    .where('seenAt', '>=', since)
    .executeTakeFirstOrThrow()
  return row.count
}

/** Bans people from a stream; answers whom that changed. */
export async function insertBans(
  tx: Tx,
  { streamId, bannedBy, at }: { streamId: string; bannedBy: string; at: Date },
  userIds: string[],
): Promise<string[]> {
  const rows = await tx
    .insertInto('videoStreamBans')
    .values(userIds.map((userId) => ({ streamId, userId, bannedBy, createdAt: at })))
    .onConflict((conflict) => conflict.doNothing())
    .returning('userId')
    .execute()
  return rows.map((row) => row.userId)
}

/** Lifts bans; answers whose. */
export async function deleteBans(tx: Tx, streamId: string, userIds: string[]): Promise<string[]> {
  const rows = await tx
    .deleteFrom('videoStreamBans')
    .where('streamId', '=', streamId)
    .where('userId', '=', anyOf(userIds))
    .returning('userId')
    .execute()
  return rows.map((row) => row.userId)
}

/** Of some streams those from which a user is banned, here or in the live channel. */
export async function findBannedFrom(db: Db, userId: string, streamIds: string[]): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`
    select stream.id from video_streams stream
    where stream.id = any (${streamIds}) and (
      exists (
        select from video_stream_bans ban where ban.stream_id = stream.id and ban.user_id = ${userId}
      ) or exists (
        select from channels channel
        join channel_members member on member.channel_id = channel.id and member.user_id = ${userId}
        where channel.video_stream_id = stream.id and member.membership = 'banned'
      )
    )
  `.execute(db)
  return new Set(rows.map((row) => row.id))
}
