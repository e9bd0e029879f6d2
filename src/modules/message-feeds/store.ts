import { sql } from 'kysely'
import type { Db, Tx } from '../../kernel/database.ts'
import { anyOf } from '../../platform/database/any-of.ts'
import { keysetPage, type KeysetPosition } from '../../platform/database/keyset.ts'
import type { ChannelType } from '../channels/index.ts'
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
  /** Whether the network shows previews. */
  showsPreview: boolean
}

/** Feeds as they are presented. Last message and preview are looked up, so that deletions cannot leave them stale. */
export async function findMessageFeedsById(db: Db, ids: string[]): Promise<MessageFeedRow[]> {
  const { rows } = await sql<MessageFeedRow>`
    select feed.id, feed.channel_id, channel.channel_id as channel_public_id, channel.type as channel_type, feed.name,
      feed.creator_id, creator.user_id as creator_public_id, feed.child_count, feed.last_message_timestamp,
      feed.is_deleted, feed.deleted_at, feed.edited_at, feed.created_at, feed.updated_at,
      last.id as last_id, coalesce(last.message_id, last.id) as last_message_id,
      preview.id as preview_id, coalesce(preview.message_id, preview.id) as message_preview_id,
      coalesce(setting.enabled, true) as shows_preview
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

/** Changes how many messages feeds hold. */
export async function adjustChildCount(tx: Tx, id: string, delta: number): Promise<void> {
  await tx
    .updateTable('messageFeeds')
    .set((e) => ({ childCount: e('childCount', '+', delta) }))
    .where('id', '=', id)
    .execute()
}

export interface FeedFilter {
  channelId: string
  isDeleted: boolean
  withoutDefault: boolean
}

function feedsOf(db: Db, { channelId, isDeleted, withoutDefault }: FeedFilter) {
  const feeds = db.selectFrom('messageFeeds').where('channelId', '=', channelId).where('isDeleted', '=', isDeleted)
  return withoutDefault ? feeds.where('id', '<>', channelId) : feeds
}

export async function countFeeds(db: Db, filter: FeedFilter): Promise<number> {
  const row = await feedsOf(db, filter)
    .select((e) => e.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  return row.total
}

export async function queryFeedRows(db: Db, filter: FeedFilter, position: KeysetPosition, order: 'asc' | 'desc') {
  const page = keysetPage(
    feedsOf(db, filter).select(['id', 'lastMessageTimestamp']),
    position,
    [
      { column: 'lastMessageTimestamp', type: 'time' },
      { column: 'id', type: 'text' },
    ],
    order,
  )
  return (page ?? fail('badPageToken')).execute()
}

/** Where feeds belong, and where they stand in the order of their channel. */
export async function findFeedPlaces(db: Db, ids: string[]) {
  return db
    .selectFrom('messageFeeds')
    .select(['id', 'channelId', 'lastMessageTimestamp', 'isDeleted'])
    .where('id', '=', anyOf(ids))
    .execute()
}
