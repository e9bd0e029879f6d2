import { sql, type Updateable } from 'kysely'
import type { DB, Json } from '../../../db/tables.ts'
import type { Db, Tx } from '../../kernel/database.ts'
import { anyOf } from '../../platform/database/any-of.ts'
import type { ChannelType } from '../channels/index.ts'
import type { DataType, LatestReaction } from './schema.ts'

export interface MessageRow {
  id: string
  /** The id shown: the client's own, or `id`. */
  publicId: string
  referenceId: string | null
  channelId: string
  channelPublicId: string
  channelType: ChannelType
  messageFeedId: string
  segment: number
  creatorId: string
  creatorPublicId: string
  parentId: string | null
  parentPublicId: string | null
  dataType: DataType
  data: Json
  metadata: Json
  fileId: string | null
  thumbnailFileId: string | null
  tags: string[]
  mentionedUserIds: string[]
  mentionedUserPublicIds: string[]
  mentionsChannel: boolean
  childCount: number
  flagCount: number
  hashFlag: Json | null
  reactions: Json
  reactionCount: number
  latestReaction: LatestReaction | null
  isDeleted: boolean
  deletedAt: Date | null
  editedAt: Date | null
  createdAt: Date
  updatedAt: Date
}

const rowColumns = sql`
  message.id, coalesce(message.message_id, message.id) as public_id, message.reference_id, message.channel_id,
  channel.channel_id as channel_public_id, channel.type as channel_type, message.message_feed_id, message.segment,
  message.creator_id, creator.user_id as creator_public_id, message.parent_id,
  coalesce(parent.message_id, parent.id) as parent_public_id, message.data_type, message.data, message.metadata,
  message.file_id, message.thumbnail_file_id, message.tags, message.mentioned_user_ids,
  case when message.mentioned_user_ids = '{}' then '{}' else array(
    select mentioned.user_id from unnest(message.mentioned_user_ids) with ordinality as mention (id, n)
    join users mentioned on mentioned.id = mention.id order by n) end as mentioned_user_public_ids,
  message.mentions_channel, message.child_count, message.flag_count, message.hash_flag, message.reactions,
  message.reaction_count, message.latest_reaction, message.is_deleted, message.deleted_at, message.edited_at,
  message.created_at, message.updated_at`
const rowTables = sql`
  messages message
  join channels channel on channel.id = message.channel_id
  join users creator on creator.id = message.creator_id
  left join messages parent on parent.id = message.parent_id`

export async function findMessagesById(db: Db, ids: string[]): Promise<MessageRow[]> {
  const { rows } =
    await sql<MessageRow>`select ${rowColumns} from ${rowTables} where message.id = any (${ids})`.execute(db)
  return rows
}

/** Messages sent before under a client's own id: `messageId`, or `referenceId` in its channel by its creator. */
export async function findSentMessages(
  db: Db,
  sent: { channelId: string; creatorId: string; messageId: string | null; referenceId: string | null }[],
): Promise<MessageRow[]> {
  const messageIds = sent.flatMap(({ messageId }) => messageId ?? [])
  const referenced = sent.filter(({ referenceId }) => referenceId !== null)
  if (messageIds.length === 0 && referenced.length === 0) return []
  const { rows } = await sql<MessageRow>`
    with sent as (
      select id from messages where message_id = any (${messageIds})
      union select id from messages where id = any (${messageIds})
      union select id from messages where reference_id is not null and (channel_id, creator_id, reference_id) in (
        select * from unnest(${referenced.map((one) => one.channelId)}::text[],
          ${referenced.map((one) => one.creatorId)}::text[], ${referenced.map((one) => one.referenceId)}::text[]))
    )
    select ${rowColumns} from sent join ${rowTables} on message.id = sent.id`.execute(db)
  return rows
}

/** Inserts any number of messages with one statement, whose text is always the same. */
export async function insertMessages(tx: Tx, messages: MessageRow[]): Promise<void> {
  const rows = messages.map((message) => ({
    id: message.id,
    message_id: message.publicId === message.id ? null : message.publicId,
    reference_id: message.referenceId,
    channel_id: message.channelId,
    message_feed_id: message.messageFeedId,
    segment: message.segment,
    creator_id: message.creatorId,
    parent_id: message.parentId,
    data_type: message.dataType,
    data: message.data,
    metadata: message.metadata,
    file_id: message.fileId,
    thumbnail_file_id: message.thumbnailFileId,
    tags: message.tags,
    mentioned_user_ids: message.mentionedUserIds,
    mentions_channel: message.mentionsChannel,
    created_at: message.createdAt,
  }))
  await sql`
    insert into messages (id, message_id, reference_id, channel_id, message_feed_id, segment, creator_id, parent_id,
      data_type, data, metadata, file_id, thumbnail_file_id, tags, mentioned_user_ids, mentions_channel, created_at,
      updated_at)
    select id, message_id, reference_id, channel_id, message_feed_id, segment, creator_id, parent_id, data_type, data,
      metadata, file_id, thumbnail_file_id, tags, mentioned_user_ids, mentions_channel, created_at, created_at
    from json_populate_recordset(null::messages, ${JSON.stringify(rows)}::json)`.execute(tx)
}

export interface MessagePlace {
  id: string
  publicId: string
  channelId: string
  messageFeedId: string
  segment: number
  parentId: string | null
  creatorId: string
  createdAt: Date
  isDeleted: boolean
}

/** Where messages stand, by the id shown or the internal one. */
export async function findMessagePlaces(db: Db, ids: string[]): Promise<MessagePlace[]> {
  return db
    .selectFrom('messages')
    .select([
      'id',
      sql<string>`coalesce(message_id, id)`.as('publicId'),
      'channelId',
      'messageFeedId',
      'segment',
      'parentId',
      'creatorId',
      'createdAt',
      'isDeleted',
    ])
    .where((e) => e.or([e('id', '=', anyOf(ids)), e('messageId', '=', anyOf(ids))]))
    .execute()
}

/** Counts replies in or out, one for each time a parent is named. */
export async function countReplies(tx: Tx, parentIds: string[], delta: 1 | -1): Promise<void> {
  await sql`
    update messages set child_count = child_count + ${delta} * reply.n
    from (select id, count(*)::int as n from unnest(${parentIds}::text[]) id group by id) reply
    where messages.id = reply.id`.execute(tx)
}

/** When users last wrote to channels: up to `limit` times each, oldest first. */
export async function findRecentTimes(
  tx: Tx,
  asked: { channelId: string; creatorId: string; limit: number }[],
): Promise<{ channelId: string; creatorId: string; times: Date[] }[]> {
  const { rows } = await sql<{ channelId: string; creatorId: string; times: Date[] }>`
    select asked.channel_id, asked.creator_id, array(
      select created_at from (
        select created_at, segment from messages
        where channel_id = asked.channel_id and creator_id = asked.creator_id
        order by segment desc limit asked.n
      ) newest order by segment
    ) as times
    from unnest(${asked.map((one) => one.channelId)}::text[], ${asked.map((one) => one.creatorId)}::text[],
      ${asked.map((one) => one.limit)}::int[]) as asked (channel_id, creator_id, n)`.execute(tx)
  return rows
}

/** Locks a message against other changes of it. */
export async function lockMessage(tx: Tx, id: string): Promise<void> {
  await tx.selectFrom('messages').select('id').where('id', '=', id).forNoKeyUpdate().executeTakeFirst()
}

export async function updateMessageRow(
  tx: Tx,
  id: string,
  changes: Updateable<DB['messages']>,
): Promise<void> {
  await tx.updateTable('messages').set(changes).where('id', '=', id).execute()
}

export interface DeletedMessage {
  id: string
  channelId: string
  messageFeedId: string
  parentId: string | null
}

/** Deletes those of the messages that are not deleted yet; answers them. The channel is locked. */
export async function deleteMessageRows(
  tx: Tx,
  which: { ids: string[] } | { channelId: string; creatorIds: string[] },
  at: Date,
): Promise<DeletedMessage[]> {
  const query = tx
    .updateTable('messages')
    .set({ isDeleted: true, deletedAt: at, updatedAt: at })
    .where('isDeleted', '=', false)
    .returning(['id', 'channelId', 'messageFeedId', 'parentId'])
  if ('ids' in which) return query.where('id', '=', anyOf(which.ids)).execute()
  return query
    .where('creatorId', '=', anyOf(which.creatorIds))
    .where('channelId', '=', which.channelId)
    .execute()
}

/** Takes away for good what a message said. Its place in the order stays. */
export async function eraseMessageRow(tx: Tx, id: string): Promise<void> {
  await tx
    .updateTable('messages')
    .set({ data: '{}', metadata: '{}', fileId: null, thumbnailFileId: null, tags: [] })
    .where('id', '=', id)
    .execute()
}

/** Channels in which a user said something that still stands, in one order for all who lock them. */
export async function findChannelsWrittenIn(tx: Tx, userId: string): Promise<string[]> {
  const rows = await tx
    .selectFrom('messages')
    .select('channelId')
    .distinct()
    .where('creatorId', '=', userId)
    .where('isDeleted', '=', false)
    .orderBy('channelId')
    .execute()
  return rows.map((row) => row.channelId)
}
