import { sql, type Insertable, type Updateable } from 'kysely'
import type { DB } from '../../../db/tables.ts'
import type { Db, Tx } from '../../kernel/database.ts'
import { byId } from '../../kernel/envelope/resource.ts'
import { joined } from '../../kernel/joined.ts'
import { anyOf } from '../../platform/database/any-of.ts'
import { keysetPage, type KeysetPosition } from '../../platform/database/keyset.ts'
import { isReadableChannel, type ChannelType } from '../channels/index.ts'
import { fail } from '../../kernel/errors.ts'

export interface MessageFeedRow {
  id: string
  channelId: string
  channelPublicId: string
  channelType: ChannelType
  name: string
  creatorId: string
  creatorPublicId: string
  childCount: number
  lastMessageTimestamp: Date
  isDeleted: boolean
  deletedAt: Date | null
  editedAt: Date | null
  createdAt: Date
  updatedAt: Date
  /** Internal ids of the last message there is and of the one to preview, and the ids shown for them. */
  lastId: string | null
  lastMessageId: string | null
  previewId: string | null
  messagePreviewId: string | null
}

/** Feeds as they are presented. Last message and preview are looked up, so that deletions cannot leave them stale. */
export async function findMessageFeedsById(db: Db, ids: string[]): Promise<MessageFeedRow[]> {
  const { rows } = await sql<MessageFeedRow>`
    select feed.id, feed.channel_id, channel.channel_id as channel_public_id, channel.type as channel_type, feed.name,
      feed.creator_id, creator.user_id as creator_public_id, feed.child_count, feed.last_message_timestamp,
      feed.is_deleted, feed.deleted_at, feed.edited_at, feed.created_at, feed.updated_at,
      last.id as last_id, coalesce(last.message_id, last.id) as last_message_id,
      preview.id as preview_id, coalesce(preview.message_id, preview.id) as message_preview_id
    from message_feeds feed
    join channels channel on channel.id = feed.channel_id
    join users creator on creator.id = feed.creator_id
    left join (
      select coalesce((value -> 'messagePreview' ->> 'isIncludeDeleted')::boolean, false) as with_deleted,
        coalesce((value -> 'messagePreview' ->> 'enabled')::boolean, true) as enabled
      from network_settings where section = 'chat'
    ) setting on true
    left join lateral (
      select id, message_id from messages where message_feed_id = feed.id and not is_deleted
      order by segment desc limit 1
    ) last on true
    left join lateral (
      select id, message_id from messages
      where message_feed_id = feed.id and coalesce(setting.enabled, true)
        and (not is_deleted or coalesce(setting.with_deleted, false))
      order by segment desc limit 1
    ) preview on true
    where feed.id = any (${ids})`.execute(db)
  return rows
}

/** A feed as sending needs it: its last message and preview are those that are being sent. */
export type MessageFeedFacts = Omit<
  MessageFeedRow,
  'channelPublicId' | 'channelType' | 'lastId' | 'lastMessageId' | 'previewId' | 'messagePreviewId'
> & {
  /** Whether the network shows previews. */
  showsPreview: boolean
}

export async function findMessageFeedFacts(db: Db, ids: string[]): Promise<MessageFeedFacts[]> {
  const { rows } = await sql<MessageFeedFacts>`
    select feed.id, feed.channel_id, feed.name, feed.creator_id, creator.user_id as creator_public_id, feed.child_count,
      feed.last_message_timestamp, feed.is_deleted, feed.deleted_at, feed.edited_at, feed.created_at, feed.updated_at,
      coalesce((
        select (value -> 'messagePreview' ->> 'enabled')::boolean from network_settings where section = 'chat'
      ), true) as shows_preview
    from message_feeds feed join users creator on creator.id = feed.creator_id
    where feed.id = any (${ids})`.execute(db)
  return rows
}

export interface FeedAdvance {
  id: string
  messages: number
  lastMessageTimestamp: Date
}

/** Counts new messages in. The channel is locked. */
export async function advanceMessageFeeds(tx: Tx, advances: FeedAdvance[]): Promise<void> {
  await sql`
    update message_feeds f set child_count = f.child_count + a.messages,
      last_message_timestamp = greatest(f.last_message_timestamp, a.last_message_timestamp)
    from unnest(${advances.map((a) => a.id)}::text[], ${advances.map((a) => a.messages)}::int[],
      ${advances.map((a) => a.lastMessageTimestamp)}::timestamptz[]) as a (id, messages, last_message_timestamp)
    where f.id = a.id`.execute(tx)
}

/** Counts deleted messages out; each feed is named once for each. */
export async function uncountMessages(tx: Tx, feedIds: string[], at: Date): Promise<void> {
  await sql`
    update message_feeds feed set child_count = feed.child_count - gone.n, updated_at = ${at}
    from (select id, count(*) as n from unnest(${feedIds}::text[]) id group by id) gone
    where feed.id = gone.id`.execute(tx)
}

export type FeedFilter = {
  isDeleted: boolean
  withoutDefault: boolean
} & ({ channelId: string } | { creatorId: string; reader: Parameters<typeof isReadableChannel>[0] })

function matching(db: Db, filter: FeedFilter) {
  let feeds = db.selectFrom('messageFeeds').where('isDeleted', '=', filter.isDeleted)
  if (filter.withoutDefault) feeds = feeds.whereRef('id', '<>', 'channelId')
  if ('channelId' in filter) return feeds.where('channelId', '=', filter.channelId)
  return feeds
    .where('creatorId', '=', filter.creatorId)
    .where(isReadableChannel(filter.reader, 'messageFeeds.channelId'))
}

export async function countFeeds(db: Db, filter: FeedFilter): Promise<number> {
  const row = await matching(db, filter)
    .select((e) => e.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  return row.total
}

export async function queryFeedRows(
  db: Db,
  filter: FeedFilter,
  position: KeysetPosition,
  order: 'asc' | 'desc',
) {
  const page = keysetPage(
    matching(db, filter).select(['id', 'lastMessageTimestamp']),
    position,
    [
      { column: 'lastMessageTimestamp', type: 'time' },
      { column: 'id', type: 'text' },
    ],
    order,
  )
  return (page ?? fail('badPageToken')).execute()
}

export interface FeedPlace {
  id: string
  channelId: string
  creatorId: string
  lastMessageTimestamp: Date
  isDeleted: boolean
}

/** Where feeds belong, and where they stand in the order of their channel. */
export async function findFeedPlaces(db: Db, ids: string[]): Promise<FeedPlace[]> {
  return [...(await loadPlaces(db, ids)).values()]
}

const loadPlaces = joined<FeedPlace>(async (db, ids) => {
  const places = await db
    .selectFrom('messageFeeds')
    .select(['id', 'channelId', 'creatorId', 'lastMessageTimestamp', 'isDeleted'])
    .where('id', '=', anyOf(ids))
    .execute()
  return byId(places, (place) => place.id)
})

export async function insertFeed(tx: Tx, feed: Insertable<DB['messageFeeds']>): Promise<void> {
  await tx.insertInto('messageFeeds').values(feed).execute()
}

export async function updateFeed(tx: Tx, id: string, changes: Updateable<DB['messageFeeds']>): Promise<void> {
  await tx.updateTable('messageFeeds').set(changes).where('id', '=', id).execute()
}
