import { sql } from 'kysely'
import type { Db } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import { keysetPage, type KeyColumn, type KeysetPosition } from '../../platform/database/keyset.ts'
import { isReadableChannel } from '../channels/index.ts'
import type { DataType } from './schema.ts'

/** Which messages of a feed, or of a whole channel, to list. */
export type MessageFilter = {
  /** Replies of this message; null for messages that are no replies; undefined for both. */
  parentId?: string | null
  isDeleted?: boolean | undefined
  includeTags?: string[] | undefined
  excludeTags?: string[] | undefined
  hasFlags?: boolean | undefined
  dataType?: DataType | undefined
} & ({ messageFeedId: string } | { channelId: string })

export interface ListedMessage {
  id: string
  segment: number
}

/** Messages in the order of their segments. */
export async function queryMessageRows(
  db: Db,
  filter: MessageFilter,
  position: KeysetPosition,
  order: 'asc' | 'desc',
): Promise<ListedMessage[]> {
  let rows = db.selectFrom('messages').select(['messages.id', 'messages.segment'])
  if ('messageFeedId' in filter) rows = rows.where('messageFeedId', '=', filter.messageFeedId)
  else rows = rows.where('messages.channelId', '=', filter.channelId).where(isInOpenFeed)
  if (filter.parentId === null) rows = rows.where('parentId', 'is', null)
  else if (filter.parentId !== undefined) rows = rows.where('parentId', '=', filter.parentId)
  if (filter.isDeleted !== undefined) rows = rows.where('messages.isDeleted', '=', filter.isDeleted)
  if (filter.includeTags?.length) rows = rows.where(sql<boolean>`tags && ${filter.includeTags}::text[]`)
  if (filter.excludeTags?.length) rows = rows.where(sql<boolean>`not tags && ${filter.excludeTags}::text[]`)
  if (filter.hasFlags !== undefined) rows = rows.where('flagCount', filter.hasFlags ? '>' : '=', 0)
  if (filter.dataType !== undefined) rows = rows.where('dataType', '=', filter.dataType)
  const page = keysetPage(rows, position, [{ column: 'messages.segment', type: 'integer' }], order)
  return (page ?? fail('badPageToken')).execute()
}

const isInOpenFeed = sql<boolean>`not exists (
  select from message_feeds feed where feed.id = messages.message_feed_id and feed.is_deleted)`

type Reader = Parameters<typeof isReadableChannel>[0]
const byTime: KeyColumn[] = [
  { column: 'messages.createdAt', type: 'time' },
  { column: 'messages.id', type: 'text' },
]

export interface DatedMessage {
  id: string
  createdAt: Date
}

/** What a user wrote and the reader may read, the newest first. */
export async function queryUserMessageRows(
  db: Db,
  filter: {
    creatorId: string
    reader: Reader
    channelId?: string | undefined
    hasFlags?: boolean | undefined
  },
  position: KeysetPosition,
): Promise<DatedMessage[]> {
  let rows = db
    .selectFrom('messages')
    .select(['messages.id', 'messages.createdAt'])
    .where('messages.creatorId', '=', filter.creatorId)
    .where('messages.isDeleted', '=', false)
    .where(isReadableChannel(filter.reader, 'messages.channelId'))
    .where(isInOpenFeed)
  if (filter.channelId !== undefined) rows = rows.where('messages.channelId', '=', filter.channelId)
  if (filter.hasFlags !== undefined) rows = rows.where('flagCount', filter.hasFlags ? '>' : '=', 0)
  return (keysetPage(rows, position, byTime, 'desc') ?? fail('badPageToken')).execute()
}

/** The text that is searched: what a message says, or the caption of what it shows. */
const text = sql<string>`lower(coalesce(message.data ->> 'text', message.data ->> 'caption'))`

export interface MessageSearch {
  /** Parts of the text that must all be there, in lower case. */
  parts: string[]
  tags?: string[] | undefined
}

function matches({ parts, tags }: MessageSearch) {
  const conditions = parts.map((part) => sql<boolean>`${text} like ${`%${part.replace(/[\\%_]/g, '\\$&')}%`}`)
  if (tags?.length) conditions.push(sql<boolean>`message.tags && ${tags}::text[]`)
  return sql.join([sql<boolean>`not message.is_deleted`, ...conditions], sql` and `)
}

// An index of words would cost every message three times what writing it costs, and know no language written without
// spaces. So a search reads the messages, but never more than this many for one page.
const readAtMost = 20_000

/** Matches among the next messages of a channel or feed, and where to go on when there are more messages to read. */
export interface SearchedStretch {
  rows: ListedMessage[]
  /** The last segment read, if it was not the end. */
  stoppedAt: number | null
}

export async function searchFeedRows(
  db: Db,
  place: { channelId: string; messageFeedId: string | null },
  search: MessageSearch,
  { key, limit }: KeysetPosition,
  order: 'asc' | 'desc',
): Promise<SearchedStretch> {
  const [from] = key
  if (from !== undefined && typeof from !== 'number') fail('badPageToken')
  const beyond = from === undefined ? sql`` : sql`and segment ${order === 'desc' ? sql`<` : sql`>`} ${from}`
  const scope =
    place.messageFeedId === null
      ? sql`messages.channel_id = ${place.channelId} and ${isInOpenFeed}`
      : sql`messages.message_feed_id = ${place.messageFeedId}`
  const direction = order === 'asc' ? sql`asc` : sql`desc`
  const { rows } = await sql<{ found: ListedMessage[] | null; read: number; last: number | null }>`
    with message as materialized (
      select id, segment, data, tags, is_deleted from messages
      where ${scope} ${beyond} order by segment ${direction} limit ${readAtMost}
    ), found as (
      select id, segment from message where ${matches(search)} order by segment ${direction} limit ${limit + 1}
    )
    select (select json_agg(found) from found) as found, (select count(*) from message) as read,
      (select segment from message order by segment ${order === 'desc' ? sql`asc` : sql`desc`} limit 1) as last`.execute(
    db,
  )
  const { found, read, last } = rows[0]!
  return { rows: found ?? [], stoppedAt: read === readAtMost ? last : null }
}

// Of each channel a search everywhere reads the newest so many; older ones are found by searching the channel.
const readOfEach = 1000

/** Matches among the newest messages of all channels someone is in. */
export async function searchOwnRows(
  db: Db,
  userId: string,
  search: MessageSearch,
  position: KeysetPosition,
  order: 'asc' | 'desc',
): Promise<DatedMessage[]> {
  const newest = sql<DatedMessage>`(
    select message.id, message.created_at
    from channel_members own
    join channels on channels.id = own.channel_id and not channels.is_deleted and not channels.is_closed
    cross join lateral (
      select id, created_at, data, tags, is_deleted from messages
      where messages.channel_id = own.channel_id and ${isInOpenFeed} order by segment desc limit ${readOfEach}
    ) message
    where own.user_id = ${userId} and own.membership = 'member' and ${matches(search)}
  )`.as<'messages'>('messages')
  const page = keysetPage(db.selectFrom(newest).selectAll(), position, byTime, order)
  return (page ?? fail('badPageToken')).execute()
}

/** The messages with the most reactions, of one name or of all, that the reader may read. */
export async function findMostReacted(
  db: Db,
  reader: Reader,
  limit: number,
  name?: string,
): Promise<string[]> {
  const count = name === undefined ? sql`reaction_count` : sql`coalesce((reactions ->> ${name})::int, 0)`
  const rows = await db
    .selectFrom('messages')
    .select('messages.id')
    .where('reactionCount', '>', 0)
    .where(sql<boolean>`${count} > 0`)
    .where('messages.isDeleted', '=', false)
    .where(isReadableChannel(reader, 'messages.channelId'))
    .where(isInOpenFeed)
    .orderBy(count, 'desc')
    .orderBy('messages.id', 'desc')
    .limit(limit)
    .execute()
  return rows.map((row) => row.id)
}
