import type { Db } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import { cutPage, parsePage, type Cursor, type Page } from '../../kernel/paging.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import { findReadableChannels, may, readerOf, requireReadableChannel } from '../channels/index.ts'
import { findUserByPublicId } from '../users/index.ts'
import type { FeedPageQuery } from './schema.ts'
import { countFeeds, findFeedPlaces, queryFeedRows, type FeedFilter } from './store.ts'

/** The feeds of a channel (internal id), those with the newest messages first. */
export async function listChannelFeeds(
  db: Db,
  viewer: Viewer,
  channelId: string,
  query: FeedPageQuery,
): Promise<Page<{ id: string }>> {
  const { channel } = await requireReadableChannel(db, viewer, channelId)
  return listFeeds(db, { ...flagsOf(query), channelId: channel.id }, query)
}

/** The feeds a user (internal or public id) made, in channels the viewer may read. */
export async function listUserFeeds(
  db: Db,
  viewer: Viewer,
  creatorId: string,
  query: FeedPageQuery,
): Promise<Page<{ id: string }>> {
  const named = await findUserByPublicId(db, creatorId)
  return listFeeds(
    db,
    { ...flagsOf(query), creatorId: named?.id ?? creatorId, reader: readerOf(viewer) },
    query,
  )
}

function flagsOf({ isDeleted = false, excludeDefaultMessageFeed = false }: FeedPageQuery) {
  return { isDeleted, withoutDefault: excludeDefaultMessageFeed }
}

async function listFeeds(db: Db, filter: FeedFilter, query: FeedPageQuery): Promise<Page<{ id: string }>> {
  const { after, before, sortBy } = query.options ?? {}
  const total = await countFeeds(db, filter)
  const cursor = await startAtFeed(db, parsePage(query), after, before)
  if (cursor.limit === 0) return { rows: [], paging: { total } }
  const rows = await queryFeedRows(db, filter, cursor, sortBy?.endsWith('Asc') ? 'asc' : 'desc')
  const page = cutPage(rows, cursor, (row) => [row.lastMessageTimestamp.getTime(), row.id])
  return { rows: page.rows, paging: { ...page.paging, total } }
}

/** A page may start at a feed instead of a token. */
async function startAtFeed(
  db: Db,
  cursor: Cursor,
  after: string | undefined,
  before: string | undefined,
): Promise<Cursor> {
  const id = after ?? before
  if (cursor.key.length > 0 || id === undefined) return cursor
  const [feed] = await findFeedPlaces(db, [id])
  if (!feed) return fail('notFound', 'message feed')
  const key = [feed.lastMessageTimestamp.getTime(), feed.id]
  return { ...cursor, key, direction: after === undefined ? 'before' : 'after' }
}

/** The feeds named that the viewer may read, in the order asked. Deleted ones stay readable. */
export async function listMessageFeeds(db: Db, viewer: Viewer, ids: string[]): Promise<string[]> {
  const feeds = await findFeedPlaces(db, ids)
  const readable = await findReadableChannels(db, viewer, [...new Set(feeds.map((feed) => feed.channelId))])
  const found = new Set(feeds.filter((feed) => readable.has(feed.channelId)).map((feed) => feed.id))
  return [...new Set(ids)].filter((id) => found.has(id))
}

/** Where a feed is that the viewer may read, with its channel; fails with `notFound` for others. */
export async function requireReadableFeed(db: Db, viewer: Viewer, id: string) {
  const [feed] = await findFeedPlaces(db, [id])
  if (!feed) return fail('notFound', 'message feed')
  const { channel, member } = await requireReadableChannel(db, viewer, feed.channelId)
  return { feed, channel, member }
}

/** A feed whose messages the viewer may read: those of a deleted feed are left to moderators. */
export async function requireOpenFeed(db: Db, viewer: Viewer, id: string) {
  const found = await requireReadableFeed(db, viewer, id)
  if (found.feed.isDeleted && !may('EDIT_CHANNEL', viewer, found.member)) fail('notFound', 'message feed')
  return found
}
