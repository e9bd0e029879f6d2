import { sql, type Insertable } from 'kysely'
import type { DB } from '../../../db/tables.ts'
import type { Db, Tx } from '../../kernel/database.ts'
import { anyOf } from '../../platform/database/any-of.ts'

const onAir = ['live', 'waitingReconnect']

/** Whether there is, or was, anything to watch. */
export async function isWatchable(db: Db, id: string): Promise<boolean> {
  const room = await db
    .selectFrom('rooms')
    .select('id')
    .where('id', '=', id)
    .where('isDeleted', '=', false)
    .where('status', '<>', 'terminated')
    .executeTakeFirst()
  return room !== undefined
}

/**
 * Notes that a media server has these rooms. Answers those that are not on the air. Rooms of co-hosts are seen where
 * they meet: what mixes them goes on for a while when all have left.
 */
export async function touchRooms(db: Db, ids: string[], at: Date): Promise<string[]> {
  if (ids.length === 0) return []
  const { rows } = await sql<{ id: string }>`
    update rooms set seen_at = case type when 'coHosts' then seen_at else ${at}::timestamptz end
    where id = any (${ids}) and status = any (${onAir}) and not is_deleted returning id
  `.execute(db)
  const kept = new Set(rows.map((row) => row.id))
  return ids.filter((id) => !kept.has(id))
}

/** Rooms on the air that nobody has seen media of since; of co-hosts only, if asked. */
export async function findUnseen(db: Db, since: Date, type?: 'coHosts'): Promise<string[]> {
  const rows = await db
    .selectFrom('rooms')
    .select('id')
    .where('status', '=', anyOf(onAir))
    .where('seenAt', '<', since)
    .$if(type !== undefined, (query) => query.where('type', '=', type!))
    .execute()
  return rows.map((row) => row.id)
}

/** Of some rooms those whose recording is still wanted. */
export async function findUnrecorded(db: Db, ids: string[]): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`
    select id from rooms room where id = any (${ids}) and not is_deleted
      and status not in ('recorded', 'terminated')
      and not exists (select from room_recordings file where file.room_id = room.id)
  `.execute(db)
  return new Set(rows.map((row) => row.id))
}

/** A file of a recording to send. */
export interface StoredRecording {
  objectKey: string
  contentType: string
  kind: string
  createdAt: Date
}

export async function insertRecordings(tx: Tx, files: Insertable<DB['roomRecordings']>[]): Promise<void> {
  if (files.length > 0) await tx.insertInto('roomRecordings').values(files).execute()
}

export async function findRecording(
  db: Db,
  roomId: string,
  name: string,
): Promise<StoredRecording | undefined> {
  return db
    .selectFrom('roomRecordings')
    .select(['objectKey', 'contentType', 'kind', 'stopTime as createdAt'])
    .where('roomId', '=', roomId)
    .where('name', '=', name)
    .executeTakeFirst()
}

/** Forgets the recordings of a room; answers their keys in the object store. */
export async function deleteRecordings(tx: Tx, roomId: string): Promise<string[]> {
  const rows = await tx
    .deleteFrom('roomRecordings')
    .where('roomId', '=', roomId)
    .returning('objectKey')
    .execute()
  return rows.map((row) => row.objectKey)
}

export async function upsertSessions(tx: Tx, sessions: Insertable<DB['roomWatchSessions']>[]): Promise<void> {
  if (sessions.length === 0) return
  await tx
    .insertInto('roomWatchSessions')
    .values(sessions)
    .onConflict((conflict) =>
      conflict.columns(['roomId', 'userId', 'sessionId']).doUpdateSet({
        startedAt: sql`least(room_watch_sessions.started_at, excluded.started_at)`,
        endedAt: sql`greatest(room_watch_sessions.ended_at, excluded.ended_at)`,
        // What was said before, sent again, counts once; a client repeats a session with the seconds watched so far.
        watchSeconds: sql`greatest(room_watch_sessions.watch_seconds, excluded.watch_seconds)`,
        seenAt: sql`excluded.seen_at`,
      }),
    )
    .execute()
}
