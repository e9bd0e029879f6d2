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
  const page = keysetPage(rows, position, [{ column: 'messages.segment', type: 'number' }], order)
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
  filter: { creatorId: string; reader: Reader; channelId?: string | undefined; hasFlags?: boolean | undefined },
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
const text = sql<string>`coalesce(messages.data ->> 'text', messages.data ->> 'caption')`
const words = sql`to_tsvector('simple', ${text})`

export interface MessageSearch {
  /** Words that must all begin so; or one phrase. */
  words: string[]
  isPhrase: boolean
  /** Channels to look in; null for every channel of the searcher. */
  channelId: string | null
  messageFeedId: string | null
  searcherId: string
  tags?: string[] | undefined
}

/** Messages that hold the words. The caller has checked that a channel named may be read. */
export async function searchMessageRows(
  db: Db,
  search: MessageSearch,
  position: KeysetPosition,
  order: 'asc' | 'desc',
): Promise<DatedMessage[]> {
  const asked = search.isPhrase
    ? sql`phraseto_tsquery('simple', ${search.words.join(' ')})`
    : sql`to_tsquery('simple', ${search.words.map((word) => `'${word}':*`).join(' & ')})`
  let rows = db
    .selectFrom('messages')
    .select(['messages.id', 'messages.createdAt'])
    .where(sql<boolean>`${words} @@ ${asked}`)
    .where('messages.isDeleted', '=', false)
    .where(isInOpenFeed)
  if (search.messageFeedId !== null) rows = rows.where('messageFeedId', '=', search.messageFeedId)
  if (search.channelId !== null) rows = rows.where('messages.channelId', '=', search.channelId)
  else
    rows = rows.where(sql<boolean>`messages.channel_id in (
      select own.channel_id from channel_members own join channels on channels.id = own.channel_id
      where own.user_id = ${search.searcherId} and own.membership = 'member'
        and not channels.is_deleted and not channels.is_closed)`)
  if (search.tags?.length) rows = rows.where(sql<boolean>`tags && ${search.tags}::text[]`)
  return (keysetPage(rows, position, byTime, order) ?? fail('badPageToken')).execute()
}

/** The messages with the most reactions, of one name or of all, that the reader may read. */
export async function findMostReacted(db: Db, reader: Reader, limit: number, name?: string): Promise<string[]> {
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
