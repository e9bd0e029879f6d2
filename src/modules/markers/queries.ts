import type { Db } from '../../kernel/database.ts'
import type { Roots } from '../../kernel/envelope/assembler.ts'
import { fail } from '../../kernel/errors.ts'
import { cutPage, parsePage, type Paging } from '../../kernel/paging.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import {
  findChannel,
  findChannelId,
  findChannels,
  findChannelsByPublicId,
  findMembers,
  findReadableChannels,
  isMember,
  requireReadableChannel,
} from '../channels/index.ts'
import { findFeedPlaces } from '../message-feeds/index.ts'
import { findReadablePlaces, requireReadableMessage } from '../messages/index.ts'
import type { FeedRef } from './actions.ts'
import { syncedUntil } from './resource.ts'
import { feedRootsOf, ofUser } from './roots.ts'
import type { ReadersQuery } from './schema.ts'
import {
  findChangedFeeds,
  findFeedsOfChannels,
  findUserMarkers,
  queryReaderRows,
  type UserMarkerRow,
} from './store.ts'

/** The markers of channels (internal ids, public ones are taken too): those the viewer may read. */
export async function channelMarkers(db: Db, viewer: Viewer, channelIds: string[]): Promise<Roots> {
  const ids = await findReadable(db, viewer, channelIds)
  return { userMarkers: [viewer.id], userEntityMarkers: ids.map((id) => ofUser(id, viewer.id)) }
}

/** The markers of all feeds of channels, for clients that add up feeds themselves. */
export async function channelFeedMarkers(db: Db, viewer: Viewer, channelIds: string[]): Promise<Roots> {
  const feeds = await findFeedsOfChannels(db, await findReadable(db, viewer, channelIds))
  return feedRootsOf(viewer.id, feeds)
}

/** The markers of feeds, in pages of a client's making. */
export async function messageFeedMarkers(
  db: Db,
  viewer: Viewer,
  messageFeedIds: string[],
  token: string | undefined,
): Promise<{ roots: Roots; paging: Paging }> {
  const places = new Map((await findFeedPlaces(db, messageFeedIds)).map((feed) => [feed.id, feed]))
  const readable = new Set(
    await findReadable(
      db,
      viewer,
      [...places.values()].map((feed) => feed.channelId),
    ),
  )
  const feeds = [...new Set(messageFeedIds)].flatMap((id) => {
    const feed = places.get(id)
    return feed && readable.has(feed.channelId) ? [feed] : []
  })
  const { skip, limit } = parseSkip(token)
  const page = feeds.slice(skip, skip + limit)
  const paging = {
    ...(skip + limit < feeds.length && { next: encodeSkip(skip + limit, limit) }),
    ...(skip > 0 && { previous: encodeSkip(Math.max(0, skip - limit), limit) }),
  }
  return { roots: feedRootsOf(viewer.id, page), paging }
}

/** The markers of messages, by the id shown or the internal one, and of the feeds they are in. */
export async function messageMarkers(db: Db, viewer: Viewer, messageIds: string[]): Promise<Roots> {
  const places = await findReadablePlaces(db, viewer, messageIds)
  const feeds = places.map((place) => ({ id: place.messageFeedId, channelId: place.channelId }))
  return { contentMarkers: places.map((place) => place.id), ...feedRootsOf(viewer.id, feeds) }
}

/** How much people have not read in all their channels together, by internal id. */
export async function findUnreadCounts(db: Db, userIds: string[]): Promise<Map<string, number>> {
  const markers = await findUserMarkers(db, userIds, syncedUntil())
  return new Map(markers.map(({ userId, unreadCount }) => [userId, unreadCount]))
}

const changesAtOnce = 100

/** What changed for the viewer after a device last looked; `own` says until when it has then seen everything. */
export async function changedMarkers(
  db: Db,
  viewer: Viewer,
  deviceLastSyncAt: Date | undefined,
): Promise<{ roots: Roots; own: UserMarkerRow[] }> {
  const until = syncedUntil()
  // A device whose clock is ahead would never hear of anything.
  const after = new Date(Math.min(deviceLastSyncAt?.getTime() ?? 0, until.getTime()))
  const changed = await findChangedFeeds(db, viewer.id, after, changesAtOnce)
  const last = changed.length < changesAtOnce ? until : changed.at(-1)!.updatedAt
  const feeds = changed.map(({ messageFeedId, channelId }) => ({ id: messageFeedId, channelId }))
  const { userMarkers: _own, ...roots } = feedRootsOf(viewer.id, feeds)
  return { roots, own: await findUserMarkers(db, [viewer.id], last < until ? last : until) }
}

/** Which of these feeds are in channels that the viewer is a member of. */
export async function findOwnFeeds(db: Db, viewer: Viewer, ids: string[]): Promise<FeedRef[]> {
  const feeds = await findFeedPlaces(db, [...new Set(ids)])
  const pairs = feeds.map(({ channelId }) => ({ channelId, userId: viewer.id }))
  const own = new Set((await findMembers(db, pairs)).filter(isMember).map((member) => member.channelId))
  return feeds.filter((feed) => own.has(feed.channelId))
}

/** The channels named, by public id, that the viewer is a member of, with how far they are to be marked. */
export async function findOwnChannels(
  db: Db,
  viewer: Viewer,
  marks: { channelId?: string; readToSegment: number }[],
) {
  const channels = await findChannelsByPublicId(
    db,
    marks.flatMap(({ channelId }) => channelId ?? []),
  )
  const pairs = channels.map(({ id }) => ({ channelId: id, userId: viewer.id }))
  const own = (await findMembers(db, pairs)).filter(isMember)
  const idOf = new Map(own.map((member) => [member.channelPublicId, member.channelId]))
  return marks.flatMap(({ channelId, readToSegment }) => {
    const id = channelId === undefined ? undefined : idOf.get(channelId)
    return id === undefined ? [] : [{ channelId: id, segment: readToSegment }]
  })
}

/** A channel, by internal or public id, that the viewer is a member of. */
export async function requireOwnChannel(
  db: Db,
  viewer: Viewer,
  id: string,
  kinds: ('internal' | 'public')[],
) {
  const found = kinds.includes('internal') ? await findChannel(db, id) : undefined
  const channelId = found?.id ?? (kinds.includes('public') ? await findChannelId(db, id) : undefined)
  const { channel, member } = await requireReadableChannel(
    db,
    viewer,
    channelId ?? fail('notFound', 'channel'),
  )
  if (!isMember(member)) fail('notAMember')
  return channel
}

export interface ReaderPage {
  roots: Roots
  publicUserIds: string[]
  paging: Paging
}

/** A page of those who have read or received a message. */
export async function listReaders(
  db: Db,
  viewer: Viewer,
  messageId: string,
  kind: 'read' | 'delivered',
  query: ReadersQuery,
): Promise<ReaderPage> {
  const message = await requireReadableMessage(db, viewer, messageId)
  const { channelId, messageFeedId, creatorId, segment } = message
  const cursor = parsePage(query)
  const { memberships = ['member', 'muted'] } = query
  const filter = { channelId, messageFeedId, creatorId, segment, kind, memberships }
  const { rows, paging } = cutPage(await queryReaderRows(db, filter, cursor), cursor, (row) => [row.id])
  return {
    roots: {
      feedMarkers: [messageFeedId],
      contentMarkers: [message.id],
      userFeedMarkers: rows.map((row) => ofUser(messageFeedId, row.id)),
      users: rows.map((row) => row.id),
    },
    publicUserIds: rows.map((row) => row.userId),
    paging,
  }
}

/** The feeds of a channel, as the answer to a mark in it. */
export async function feedsOf(db: Db, channelId: string): Promise<FeedRef[]> {
  return findFeedsOfChannels(db, [channelId])
}

/** Internal ids of the channels named, by internal or public id, that the viewer may read. */
async function findReadable(db: Db, viewer: Viewer, channelIds: string[]): Promise<string[]> {
  const [internally, publicly] = await Promise.all([
    findChannels(db, channelIds),
    findChannelsByPublicId(db, channelIds),
  ])
  const ids = new Set([...internally, ...publicly].map((channel) => channel.id))
  return [...(await findReadableChannels(db, viewer, [...ids]))]
}

function parseSkip(token: string | undefined): { skip: number; limit: number } {
  if (token === undefined) return { skip: 0, limit: 100 }
  let value: { skip?: unknown; limit?: unknown } | null = null
  try {
    value = JSON.parse(Buffer.from(token, 'base64').toString('utf8')) as typeof value
  } catch {
    // Judged below.
  }
  const { skip = 0, limit = 100 } = value ?? { skip: null }
  const isPage = Number.isInteger(skip) && Number.isInteger(limit) && (skip as number) >= 0
  if (!isPage || (limit as number) < 1 || (limit as number) > 100) return fail('badPageToken')
  return { skip: skip as number, limit: limit as number }
}

function encodeSkip(skip: number, limit: number): string {
  return Buffer.from(JSON.stringify({ skip, limit })).toString('base64')
}
