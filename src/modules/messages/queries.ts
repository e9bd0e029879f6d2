import type { Db } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import { cutPage, encodeToken, parsePage, type Cursor, type Page } from '../../kernel/paging.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import {
  findReadableChannels,
  readerOf,
  requireReadableChannel,
  requireVisibleChannel,
} from '../channels/index.ts'
import { findFeedPlaces, requireOpenFeed } from '../message-feeds/index.ts'
import { findUserByPublicId } from '../users/index.ts'
import {
  findMostReacted,
  queryMessageRows,
  queryUserMessageRows,
  searchFeedRows,
  searchOwnRows,
  type MessageFilter,
} from './query-store.ts'
import type {
  QueryMessagesQuery,
  QueryMessagesV3Query,
  SearchMessagesQuery,
  UserMessagesQuery,
} from './schema.ts'
import { findMessagePlaces, findMessagesById, type MessagePlace, type MessageRow } from './store.ts'

type Listed = Page<{ id: string }>

/** Messages of a feed by segment: page by page, after, before or around one. */
export async function queryMessages(db: Db, viewer: Viewer, query: QueryMessagesQuery): Promise<Listed> {
  const { parentId, filterByParentId, messageFeedId, options = {}, ...rest } = query
  await requireOpenFeed(db, viewer, messageFeedId)
  const filter: MessageFilter = { ...rest, messageFeedId }
  if (parentId !== undefined) filter.parentId = (await requirePlace(db, { messageFeedId }, parentId)).id
  else if (filterByParentId) filter.parentId = null
  const order = options.sortBy === 'segmentAsc' ? 'asc' : 'desc'
  const cursor = parsePage(query)
  if (cursor.key.length === 0 && options.around !== undefined) {
    const { segment } = await requirePlace(db, { messageFeedId }, options.around)
    return around(db, filter, order, segment, cursor.limit)
  }
  const id = options.after ?? options.before
  if (cursor.key.length === 0 && id !== undefined) {
    cursor.key = [(await requirePlace(db, { messageFeedId }, id)).segment]
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
  // Its own segment belongs to the second half.
  const beforeIt = order === 'asc' ? segment - 1 : segment + 1
  const after: Cursor = { limit: limit - before.limit, key: [beforeIt], direction: 'after' }
  const [earlier, later] = await Promise.all([
    queryMessageRows(db, filter, before, order),
    queryMessageRows(db, filter, after, order),
  ])
  const rows = [...earlier.slice(0, before.limit).toReversed(), ...later.slice(0, after.limit)]
  const token = (row: { segment: number } | undefined, direction: 'after' | 'before', more: boolean) =>
    row && more ? encodeToken({ limit, key: [row.segment], direction }) : undefined
  const next = token(rows.at(-1), 'after', later.length > after.limit)
  const previous = token(rows[0], 'before', earlier.length > before.limit)
  return { rows, paging: { ...(next && { next }), ...(previous && { previous, prev: previous }) } }
}

/** Messages of a channel (public id), oldest first; the older operation pages by segment numbers. */
export async function queryChannelMessages(
  db: Db,
  viewer: Viewer,
  query: QueryMessagesV3Query,
): Promise<Listed> {
  const { channel: visible } = await requireVisibleChannel(db, viewer, query.channelId)
  const { channel } = await requireReadableChannel(db, viewer, visible.id)
  const { parentId, filterByParentId, hasFlag, isDeleted, tags, excludeTags, type, options = {} } = query
  const channelId = channel.id
  const filter: MessageFilter = {
    channelId,
    isDeleted,
    includeTags: tags,
    excludeTags,
    hasFlags: hasFlag,
    dataType: type,
  }
  if (parentId !== undefined) filter.parentId = (await requirePlace(db, { channelId }, parentId)).id
  else if (filterByParentId) filter.parentId = null
  const { after, before, first, last, ...page } = options
  const cursor = parsePage({ options: page })
  if (page.token === undefined) {
    cursor.limit = first ?? last ?? cursor.limit
    cursor.direction = after !== undefined || first !== undefined ? 'after' : 'before'
    const edge = cursor.direction === 'after' ? after : before
    if (edge !== undefined) cursor.key = [edge]
  }
  const rows = await queryMessageRows(db, filter, cursor, 'asc')
  return cutPage(rows, cursor, (row) => [row.segment])
}

/** What a user (internal or public id) wrote where the viewer may read, the newest first. */
export async function queryUserMessages(
  db: Db,
  viewer: Viewer,
  creatorId: string,
  { channelId, hasFlags, options = {} }: UserMessagesQuery,
): Promise<Listed> {
  const named = await findUserByPublicId(db, creatorId)
  if (channelId !== undefined) await requireReadableChannel(db, viewer, channelId)
  const { after, before, ...page } = options
  const cursor = parsePage({ options: page })
  const id = after ?? before
  if (cursor.key.length === 0 && id !== undefined) {
    const [place] = await findMessagePlaces(db, [id])
    if (!place) return fail('notFound', 'message')
    cursor.key = [place.createdAt.getTime(), place.id]
    cursor.direction = after === undefined ? 'before' : 'after'
  }
  const filter = { creatorId: named?.id ?? creatorId, reader: readerOf(viewer), channelId, hasFlags }
  const rows = await queryUserMessageRows(db, filter, cursor)
  return cutPage(rows, cursor, (row) => [row.createdAt.getTime(), row.id])
}

export interface Found extends Listed {
  search: { query: string; limit: number; orderBy: string }
}

/**
 * Messages whose text holds all the words, or with `exactMatch` the very phrase: in one channel or feed, else among
 * the newest of all channels the viewer is in. A page may hold fewer than asked for and still name a next one: then
 * the search read as far as one request may.
 */
export async function searchMessages(db: Db, viewer: Viewer, asked: SearchMessagesQuery): Promise<Found> {
  const { query, exactMatch = false, tags, options = {} } = asked
  const { orderBy = 'desc' } = options
  const cursor = parsePage({ options }, 20)
  const phrase = query.trim().toLowerCase()
  const parts = exactMatch ? [phrase] : phrase.split(/\s+/)
  const search = { query, limit: cursor.limit, orderBy }
  const place = await searchedPlace(db, viewer, asked)
  if (phrase === '') return { rows: [], paging: {}, search }
  if (place === null) {
    const rows = await searchOwnRows(db, viewer.id, { parts, tags }, cursor, orderBy)
    return { ...cutPage(rows, cursor, (row) => [row.createdAt.getTime(), row.id]), search }
  }
  const { rows, stoppedAt } = await searchFeedRows(db, place, { parts, tags }, cursor, orderBy)
  const goOn = rows.length > cursor.limit ? rows[cursor.limit - 1]!.segment : stoppedAt
  const paging = goOn === null ? {} : { next: encodeToken({ ...cursor, key: [goOn], direction: 'after' }) }
  return { rows: rows.slice(0, cursor.limit), paging, search }
}

async function searchedPlace(db: Db, viewer: Viewer, { channelId, messageFeedId }: SearchMessagesQuery) {
  if (messageFeedId !== undefined) {
    const { channel } = await requireOpenFeed(db, viewer, messageFeedId)
    return { channelId: channel.id, messageFeedId }
  }
  if (channelId === undefined) return null
  const { channel } = await requireVisibleChannel(db, viewer, channelId)
  await requireReadableChannel(db, viewer, channel.id)
  return { channelId: channel.id, messageFeedId: null }
}

/** The messages with the most reactions that the viewer may read. */
export async function listMostReacted(
  db: Db,
  viewer: Viewer,
  limit: number,
  reactionName?: string,
): Promise<MessageRow[]> {
  const ids = await findMostReacted(db, readerOf(viewer), limit, reactionName)
  const rows = new Map((await findMessagesById(db, ids)).map((row) => [row.id, row]))
  return ids.flatMap((id) => rows.get(id) ?? [])
}

async function requirePlace(
  db: Db,
  within: { messageFeedId: string } | { channelId: string },
  id: string,
): Promise<MessagePlace> {
  const place = (await findMessagePlaces(db, [id])).find((one) =>
    'channelId' in within ? one.channelId === within.channelId : one.messageFeedId === within.messageFeedId,
  )
  return place ?? fail('notFound', 'message')
}

/** The messages named, by the id shown or the internal one, that the viewer may read, in the order asked. */
export async function findReadablePlaces(db: Db, viewer: Viewer, ids: string[]): Promise<MessagePlace[]> {
  const places = await findMessagePlaces(db, ids)
  if (places.length === 0) return []
  const [readable, feeds] = await Promise.all([
    findReadableChannels(db, viewer, [...new Set(places.map((place) => place.channelId))]),
    findFeedPlaces(db, [...new Set(places.map((place) => place.messageFeedId))]),
  ])
  const open = new Set(feeds.filter((feed) => !feed.isDeleted).map((feed) => feed.id))
  const named = new Map<string, MessagePlace>()
  for (const place of places) named.set(place.publicId, place)
  for (const place of places) if (!named.has(place.id)) named.set(place.id, place)
  const found = ids.flatMap((id) => named.get(id) ?? [])
  return [...new Set(found)].filter((place) => readable.has(place.channelId) && open.has(place.messageFeedId))
}

/** A message the viewer may read; fails with `notFound` for others. Deleted ones are found. */
export async function requireReadableMessage(db: Db, viewer: Viewer, id: string): Promise<MessagePlace> {
  const [place] = await findReadablePlaces(db, viewer, [id])
  return place ?? fail('notFound', 'message')
}
