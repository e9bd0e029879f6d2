import type { Db } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import { cutPage, encodeToken, parsePage, type Cursor, type Page } from '../../kernel/paging.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import { canReadMessages, findChannels, findMembers, requireVisibleChannel } from '../channels/index.ts'
import { findFeedPlaces } from '../message-feeds/index.ts'
import type { QueryMessagesQuery } from './schema.ts'
import { findMessagePlaces, queryMessageRows, type MessageFilter, type MessagePlace } from './store.ts'

type Listed = Page<{ id: string }>

/** Messages of a feed by segment, around a message, after or before one, or page by page. */
export async function queryMessages(db: Db, viewer: Viewer, query: QueryMessagesQuery): Promise<Listed> {
  const [feed] = await findFeedPlaces(db, [query.messageFeedId])
  if (!feed) return fail('notFound', 'message feed')
  const { channel, member } = await requireVisibleChannel(db, viewer, feed.channelId, 'internal')
  if (!canReadMessages(viewer, channel, member)) fail('banned')
  const { parentId, filterByParentId, messageFeedId, options = {}, ...rest } = query
  const filter: MessageFilter = { ...rest, messageFeedId }
  if (parentId !== undefined) filter.parentId = (await requirePlace(db, messageFeedId, parentId)).id
  else if (filterByParentId) filter.parentId = null
  const order = options.sortBy === 'segmentAsc' ? 'asc' : 'desc'
  const cursor = parsePage(query)
  if (cursor.key.length === 0 && options.around !== undefined) {
    const { segment } = await requirePlace(db, messageFeedId, options.around)
    return around(db, filter, order, segment, cursor.limit)
  }
  const id = options.after ?? options.before
  if (cursor.key.length === 0 && id !== undefined) {
    cursor.key = [(await requirePlace(db, messageFeedId, id)).segment]
    cursor.direction = options.after === undefined ? 'before' : 'after'
  }
  const rows = await queryMessageRows(db, filter, cursor, order)
  return cutPage(rows, cursor, (row) => [row.segment])
}

/** A page with the message of this segment in its middle, and tokens to go on both ways. */
async function around(
  db: Db,
  filter: MessageFilter,
  order: 'asc' | 'desc',
  segment: number,
  limit: number,
): Promise<Listed> {
  const before: Cursor = { limit: Math.floor(limit / 2), key: [segment], direction: 'before' }
  const after: Cursor = { ...before, limit: limit - before.limit, direction: 'after' }
  // Its own segment belongs to the second half.
  after.key = [order === 'asc' ? segment - 1 : segment + 1]
  const [earlier, later] = await Promise.all([
    queryMessageRows(db, filter, before, order),
    queryMessageRows(db, filter, after, order),
  ])
  const first = earlier.slice(0, before.limit).toReversed()
  const last = later.slice(0, after.limit)
  const rows = [...first, ...last]
  const token = (row: { segment: number } | undefined, direction: 'after' | 'before', more: boolean) =>
    row && more ? encodeToken({ limit, key: [row.segment], direction }) : undefined
  const next = token(rows.at(-1), 'after', later.length > after.limit)
  const previous = token(rows[0], 'before', earlier.length > before.limit)
  return { rows, paging: { ...(next && { next }), ...(previous && { previous, prev: previous }) } }
}

async function requirePlace(db: Db, messageFeedId: string, id: string): Promise<MessagePlace> {
  const place = (await findMessagePlaces(db, [id])).find((one) => one.messageFeedId === messageFeedId)
  return place ?? fail('notFound', 'message')
}

/** Internal ids of the messages named that the viewer may read, in the order asked. */
export async function listReadableMessages(db: Db, viewer: Viewer, ids: string[]): Promise<string[]> {
  const places = await findMessagePlaces(db, ids)
  const readable = await findReadableChannels(db, viewer, [...new Set(places.map((place) => place.channelId))])
  const byId = new Map<string, MessagePlace>()
  for (const place of places) byId.set(place.publicId, place)
  for (const place of places) if (!byId.has(place.id)) byId.set(place.id, place)
  const found = ids.flatMap((id) => byId.get(id) ?? []).filter((place) => readable.has(place.channelId))
  return [...new Set(found.map((place) => place.id))]
}

async function findReadableChannels(db: Db, viewer: Viewer, channelIds: string[]): Promise<Set<string>> {
  const [channels, members] = await Promise.all([
    findChannels(db, channelIds),
    findMembers(db, channelIds.map((channelId) => ({ channelId, userId: viewer.id }))),
  ])
  const memberOf = new Map(members.map((member) => [member.channelId, member]))
  return new Set(
    channels.filter((channel) => canReadMessages(viewer, channel, memberOf.get(channel.id))).map(({ id }) => id),
  )
}
