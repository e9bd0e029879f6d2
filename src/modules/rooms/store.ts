import { sql, type Insertable, type Updateable } from 'kysely'
import type { DB, Json } from '../../../db/tables.ts'
import type { Db, Tx } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import type { Cursor } from '../../kernel/paging.ts'
import { anyOf } from '../../platform/database/any-of.ts'
import { keysetPage } from '../../platform/database/keyset.ts'
import { placeColumns, placeJoins, type LivePlace } from '../streams/index.ts'
import type { Label, ParticipantType, RoomStatus, RoomType } from './schema.ts'

/** Who may be on stage, as rooms show them. */
export interface ParticipantRow {
  userId: string
  userPublicId: string
  type: ParticipantType
  canManageProductTags: boolean
  isOnStage: boolean
  isPublishing: boolean
}

/** A file of a recording, as rooms show it. */
export interface RecordingRow {
  name: string
  kind: string
  part: number
  duration: number
}

export interface RoomRow extends LivePlace {
  id: string
  userId: string
  userPublicId: string
  parentId: string | null
  childIds: string[]
  type: RoomType
  title: string
  description: string | null
  thumbnailFileId: string | null
  metadata: Json
  liveChatEnabled: boolean
  status: RoomStatus
  streamKey: string | null
  egressId: string | null
  hasMedia: boolean
  liveAt: Date | null
  endedAt: Date | null
  recordedAt: Date | null
  seenAt: Date | null
  participants: ParticipantRow[]
  recordings: RecordingRow[]
  moderationId: string
  flagLabels: Label[]
  terminateLabels: Label[]
  moderatedAt: Date | null
  isDeleted: boolean
  deletedAt: Date | null
  deletedByPublicId: string | null
  createdAt: Date
  updatedAt: Date
}

/** Rooms by id, also deleted ones. Participants in the order they came, the host first. */
export async function findRoomsById(db: Db, ids: string[]): Promise<RoomRow[]> {
  if (ids.length === 0) return []
  const { rows } = await sql<RoomRow>`
    select live.*, users.user_id as user_public_id, deleter.user_id as deleted_by_public_id, ${placeColumns},
      array(
        select child.id from rooms child
        where child.parent_id = live.id and not child.is_deleted order by child.created_at, child.id
      ) as child_ids,
      coalesce((
        select json_agg(json_build_object('userId', participant.user_id, 'userPublicId', person.user_id,
          'type', participant.type, 'canManageProductTags', participant.can_manage_product_tags,
          'isOnStage', participant.is_on_stage, 'isPublishing', participant.is_publishing)
          order by participant.type desc, participant.created_at, participant.user_id)
        from room_participants participant join users person on person.id = participant.user_id
        where participant.room_id = live.id
      ), '[]') as participants,
      coalesce((
        select json_agg(json_build_object('name', file.name, 'kind', file.kind, 'part', file.part,
          'duration', file.duration) order by file.part, file.name)
        from room_recordings file where file.room_id = live.id
      ), '[]') as recordings
    from rooms live
    join users on users.id = live.user_id
    left join users deleter on deleter.id = live.deleted_by
    ${placeJoins('room_id')}
    where live.id = any (${ids})
  `.execute(db)
  return rows
}

/** Locks a room until `tx` ends and answers it; undefined when there is none. */
export async function lockRoom(tx: Tx, id: string): Promise<RoomRow | undefined> {
  const locked = await tx.selectFrom('rooms').select('id').where('id', '=', id).forUpdate().executeTakeFirst()
  return locked && (await findRoomsById(tx, [id]))[0]
}

export async function insertRoom(tx: Tx, room: Insertable<DB['rooms']>): Promise<void> {
  await tx.insertInto('rooms').values(room).execute()
}

export async function updateRoomRow(tx: Tx, id: string, changes: Updateable<DB['rooms']>): Promise<void> {
  await tx.updateTable('rooms').set(changes).where('id', '=', id).execute()
}

export interface RoomFilter {
  type: RoomType | undefined
  statuses: readonly RoomStatus[] | undefined
  isDeleted: boolean | undefined
  /** Only posted ones, in these communities (internal ids) or, with an empty list, in any; null for all rooms. */
  communityIds: string[] | null
  isPosted: boolean
  /** Whose rooms are left out. */
  without: string[]
  order: 'asc' | 'desc'
}

/** A page of rooms that are no other's children, by when they were made: `limit + 1` ids and times. */
export async function queryRoomRows(
  db: Db,
  { type, statuses, isDeleted, communityIds, isPosted, without, order }: RoomFilter,
  cursor: Cursor,
): Promise<{ id: string; createdAt: Date }[]> {
  const rooms = db
    .selectFrom('rooms')
    .select(['id', 'createdAt'])
    .where('parentId', 'is', null)
    .$if(type !== undefined, (query) => query.where('type', '=', type!))
    .$if(statuses !== undefined, (query) => query.where('status', '=', anyOf([...statuses!])))
    .$if(isDeleted !== undefined, (query) => query.where('isDeleted', '=', isDeleted!))
    .$if(isPosted, (query) => query.where('postId', 'is not', null))
    .$if(communityIds !== null, (query) => query.where('targetType', '=', 'community'))
    .$if(communityIds !== null && communityIds.length > 0, (query) =>
      query.where('targetId', '=', anyOf(communityIds!)),
    )
    .$if(without.length > 0, (query) => query.where('userId', '<>', sql<string>`all(${without})`))
  const page = keysetPage(
    rooms,
    cursor,
    [
      { column: 'createdAt', type: 'time' },
      { column: 'id', type: 'text' },
    ],
    order,
  )
  return (page ?? fail('badPageToken')).execute()
}

/** Notes where a room was posted; its children are seen there too. */
export async function placeRoom(
  tx: Tx,
  id: string,
  place: { postId: string; childPostId: string; targetType: string; targetId: string; updatedAt: Date },
): Promise<void> {
  await tx
    .updateTable('rooms')
    .set(place)
    .where((e) => e.or([e('id', '=', id), e('parentId', '=', id)]))
    .execute()
}

/** The rooms on the air that a post shows, or a child of one. */
export async function findRoomsOnAirIn(db: Db, postId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('rooms')
    .select('id')
    .where('status', 'in', ['live', 'waitingReconnect'])
    .where((e) => e.or([e('postId', '=', postId), e('childPostId', '=', postId)]))
    .orderBy('id')
    .execute()
  return rows.map((row) => row.id)
}

/** The rooms that a user hosts, and those that are not over in which they are a co-host, the oldest first. */
export async function findRoomIdsOf(db: Db, userId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('roomParticipants as participant')
    .innerJoin('rooms', 'rooms.id', 'participant.roomId')
    .select('rooms.id')
    .where('participant.userId', '=', userId)
    .where('rooms.isDeleted', '=', false)
    .where((e) => e.or([e('participant.type', '=', 'host'), e('rooms.endedAt', 'is', null)]))
    .orderBy('rooms.createdAt')
    .orderBy('rooms.id')
    .execute()
  return rows.map((row) => row.id)
}

/** The room that a channel (internal id) is the live chat of. */
export async function findRoomOfChannel(db: Db, channelId: string): Promise<string | null> {
  const row = await db.selectFrom('channels').select('roomId').where('id', '=', channelId).executeTakeFirst()
  return row?.roomId ?? null
}

/** Of some rooms those from whose live channel a user is banned. */
export async function findBannedFrom(db: Db, userId: string, roomIds: string[]): Promise<Set<string>> {
  if (roomIds.length === 0) return new Set()
  const { rows } = await sql<{ id: string }>`
    select distinct channel.room_id as id from channels channel
    join channel_members member on member.channel_id = channel.id and member.user_id = ${userId}
    where channel.room_id = any (${roomIds}) and member.membership = 'banned'
  `.execute(db)
  return new Set(rows.map((row) => row.id))
}
