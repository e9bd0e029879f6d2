import { sql, type Insertable, type Updateable } from 'kysely'
import type { DB, Json } from '../../../db/tables.ts'
import type { Db, Tx } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import type { Cursor } from '../../kernel/paging.ts'
import { anyOf } from '../../platform/database/any-of.ts'
import { keysetPage } from '../../platform/database/keyset.ts'
import { placeColumns, placeJoins, type LivePlace } from './place-store.ts'
import type { StreamStatus } from './schema.ts'

/** A file of a recording, as the store keeps it. Times are ISO 8601. */
export interface RecordingRow {
  name: string
  kind: 'flv' | 'mp4' | 'm3u8' | 'segments'
  part: number
  duration: number
  startTime: string
  stopTime: string
  missing: string[]
}

export interface StreamRow extends LivePlace {
  id: string
  userId: string
  userPublicId: string
  parentId: string | null
  childIds: string[]
  moderationId: string
  title: string
  description: string | null
  thumbnailFileId: string | null
  metadata: Json
  isSecure: boolean
  resolution: string
  channelEnabled: boolean
  status: StreamStatus
  streamKey: string | null
  startedAt: Date | null
  endedAt: Date | null
  recordings: RecordingRow[]
  isDeleted: boolean
  deletedAt: Date | null
  createdAt: Date
  updatedAt: Date
}

/** Streams by id, also deleted ones. */
export async function findStreamsById(db: Db, ids: string[]): Promise<StreamRow[]> {
  const { rows } = await sql<StreamRow>`
    select live.*, users.user_id as user_public_id, moderation.id as moderation_id, ${placeColumns},
      array(
        select child.id from video_streams child
        where child.parent_id = live.id and not child.is_deleted order by child.created_at, child.id
      ) as child_ids,
      coalesce((
        select json_agg(json_build_object('name', file.name, 'kind', file.kind, 'part', file.part,
          'duration', file.duration, 'startTime', file.start_time, 'stopTime', file.stop_time,
          'missing', file.missing) order by file.part, file.kind)
        from video_stream_recordings file where file.stream_id = live.id
      ), '[]') as recordings
    from video_streams live
    join users on users.id = live.user_id
    join video_stream_moderations moderation on moderation.stream_id = live.id
    ${placeJoins('video_stream_id')}
    where live.id = any (${ids})
  `.execute(db)
  return rows
}

/** Locks a stream until `tx` ends and answers it; undefined when there is none. */
export async function lockStream(tx: Tx, id: string): Promise<StreamRow | undefined> {
  const locked = await tx
    .selectFrom('videoStreams')
    .select('id')
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
  return locked && (await findStreamsById(tx, [id]))[0]
}

export async function insertStream(
  tx: Tx,
  stream: Insertable<DB['videoStreams']>,
  moderationId: string,
): Promise<void> {
  await tx.insertInto('videoStreams').values(stream).execute()
  const { id: streamId, createdAt } = stream
  await tx
    .insertInto('videoStreamModerations')
    .values({ id: moderationId, streamId, createdAt, updatedAt: createdAt })
    .execute()
}

export async function updateStreamRow(
  tx: Tx,
  id: string,
  changes: Updateable<DB['videoStreams']>,
): Promise<void> {
  await tx.updateTable('videoStreams').set(changes).where('id', '=', id).execute()
}

export interface StreamFilter {
  statuses: StreamStatus[] | undefined
  userIds: string[] | undefined
  isDeleted: boolean | undefined
  /** Whose streams are left out. */
  without: string[]
  order: 'asc' | 'desc'
}

/** A page of streams that are no other's children, by when they were made: `limit + 1` ids and times. */
export async function queryStreamRows(
  db: Db,
  { statuses, userIds, isDeleted, without, order }: StreamFilter,
  cursor: Cursor,
): Promise<{ id: string; createdAt: Date }[]> {
  const streams = db
    .selectFrom('videoStreams')
    .select(['id', 'createdAt'])
    .where('parentId', 'is', null)
    .$if(statuses !== undefined, (query) => query.where('status', '=', anyOf(statuses!)))
    .$if(userIds !== undefined, (query) => query.where('userId', '=', anyOf(userIds!)))
    .$if(isDeleted !== undefined, (query) => query.where('isDeleted', '=', isDeleted!))
    .$if(without.length > 0, (query) => query.where('userId', '<>', sql<string>`all(${without})`))
  const page = keysetPage(
    streams,
    cursor,
    [
      { column: 'createdAt', type: 'time' },
      { column: 'id', type: 'text' },
    ],
    order,
  )
  return (page ?? fail('badPageToken')).execute()
}

/** What decides who may watch. */
export type PlaybackRow = Pick<
  StreamRow,
  'id' | 'isSecure' | 'isDeleted' | 'status' | 'targetType' | 'isCommunityOpen'
>

export async function findPlayback(db: Db, id: string): Promise<PlaybackRow | undefined> {
  const { rows } = await sql<PlaybackRow>`
    select stream.id, stream.is_secure, stream.is_deleted, stream.status, stream.target_type,
      community.is_public and not community.is_deleted as is_community_open
    from video_streams stream
    left join communities community on stream.target_type = 'community' and community.id = stream.target_id
    where stream.id = ${id}
  `.execute(db)
  return rows[0]
}

/** Notes that a media server has these streams. Answers those that it must let go: ended or deleted meanwhile. */
export async function touchStreams(db: Db, ids: string[], at: Date): Promise<string[]> {
  if (ids.length === 0) return []
  const live = await db
    .updateTable('videoStreams')
    .set({ seenAt: at })
    .where('id', '=', anyOf(ids))
    .where('status', '=', 'live')
    .where('isDeleted', '=', false)
    .returning('id')
    .execute()
  const kept = new Set(live.map((row) => row.id))
  return ids.filter((id) => !kept.has(id))
}

/** Live streams that no media server has spoken of since. */
export async function findSilent(db: Db, since: Date): Promise<string[]> {
  const rows = await db
    .selectFrom('videoStreams')
    .select('id')
    .where('status', '=', 'live')
    .where('seenAt', '<', since)
    .execute()
  return rows.map((row) => row.id)
}

/** Of some streams those whose recording is still wanted. */
export async function findUnrecorded(db: Db, ids: string[]): Promise<Set<string>> {
  const rows = await db
    .selectFrom('videoStreams')
    .select('id')
    .where('id', '=', anyOf(ids))
    .where('status', '<>', 'recorded')
    .where('isDeleted', '=', false)
    .execute()
  return new Set(rows.map((row) => row.id))
}

/** Notes where a stream was posted; its children are seen there too. */
export async function placeStream(
  tx: Tx,
  id: string,
  place: Pick<StreamRow, 'postId' | 'childPostId' | 'targetType' | 'targetId'>,
): Promise<void> {
  await tx
    .updateTable('videoStreams')
    .set(place)
    .where((e) => e.or([e('id', '=', id), e('parentId', '=', id)]))
    .execute()
}

/** The live streams that a post shows, or a child of one. */
export async function findLiveStreamsIn(db: Db, postId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('videoStreams')
    .select('id')
    .where('status', '=', 'live')
    .where((e) => e.or([e('postId', '=', postId), e('childPostId', '=', postId)]))
    .orderBy('id')
    .execute()
  return rows.map((row) => row.id)
}

/** The stream that a channel (internal id) is the live chat of. */
export async function findStreamOfChannel(db: Db, channelId: string): Promise<string | null> {
  const row = await db
    .selectFrom('channels')
    .innerJoin('videoStreams', 'videoStreams.id', 'channels.videoStreamId')
    .select('videoStreams.id')
    .where('channels.id', '=', channelId)
    .executeTakeFirst()
  return row?.id ?? null
}

/** The streams of a user that are not deleted, the oldest first. */
export async function findStreamIdsOf(db: Db, userId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('videoStreams')
    .select('id')
    .where('userId', '=', userId)
    .where('isDeleted', '=', false)
    .orderBy('createdAt')
    .orderBy('id')
    .execute()
  return rows.map((row) => row.id)
}
