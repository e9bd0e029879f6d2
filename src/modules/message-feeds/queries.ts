import type { Db } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import { cutPage, parsePage, type Cursor, type Page } from '../../kernel/paging.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import { canReadMessages, requireVisibleChannel } from '../channels/index.ts'
import type { ChannelFeedsQuery } from './schema.ts'
import { countFeeds, findFeedPlaces, queryFeedRows } from './store.ts'

/** The feeds of a channel (internal id; the public one is taken too), those with the newest messages first. */
export async function listChannelFeeds(
  db: Db,
  viewer: Viewer,
  channelId: string,
  query: ChannelFeedsQuery,
): Promise<Page<{ id: string }>> {
  const { channel, member } = await requireVisibleChannel(db, viewer, channelId, 'internal')
  if (!canReadMessages(viewer, channel, member)) fail('banned')
  const filter = {
    channelId: channel.id,
    isDeleted: query.isDeleted ?? false,
    withoutDefault: query.excludeDefaultMessageFeed ?? false,
  }
  const { after, before, sortBy } = query.options ?? {}
  const order = sortBy === 'lastMessageTimestampAsc' ? 'asc' : 'desc'
  const total = await countFeeds(db, filter)
  const cursor = await fromFeed(db, channel.id, parsePage(query), after, before)
  if (cursor.limit === 0) return { rows: [], paging: { total } }
  const rows = await queryFeedRows(db, filter, cursor, order)
  const page = cutPage(rows, cursor, (row) => [row.lastMessageTimestamp.getTime(), row.id])
  return { rows: page.rows, paging: { ...page.paging, total } }
}

/** A page may start at a feed instead of a token. */
async function fromFeed(
  db: Db,
  channelId: string,
  cursor: Cursor,
  after: string | undefined,
  before: string | undefined,
): Promise<Cursor> {
  const id = after ?? before
  if (cursor.key.length > 0 || id === undefined) return cursor
  const [feed] = await findFeedPlaces(db, [id])
  if (!feed || feed.channelId !== channelId) return fail('notFound', 'message feed')
  return {
    ...cursor,
    key: [feed.lastMessageTimestamp.getTime(), feed.id],
    direction: after === undefined ? 'before' : 'after',
  }
}
