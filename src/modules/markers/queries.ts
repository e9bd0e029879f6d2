import type { Db } from '../../kernel/database.ts'
import type { Roots } from '../../kernel/envelope/assembler.ts'
import { fail } from '../../kernel/errors.ts'
import type { Paging } from '../../kernel/paging.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import { findChannelId, findChannels, findReadableChannels } from '../channels/index.ts'
import { findFeedPlaces } from '../message-feeds/index.ts'
import { findReadablePlaces } from '../messages/index.ts'
import { ofUser, syncedUntil } from './resource.ts'
import { findChangedFeeds, findFeedsOfChannels, findUserMarkers, type UserMarkerRow } from './store.ts'

/** The markers of channels (internal ids, public ones are taken too): those the viewer may read. */
export async function channelMarkers(db: Db, viewer: Viewer, channelIds: string[]): Promise<Roots> {
  const ids = await findReadable(db, viewer, channelIds)
  return { userMarkers: [viewer.id], userEntityMarkers: ids.map((id) => ofUser(id, viewer.id)) }
}

/** The markers of all feeds of channels, for clients that add up feeds themselves. */
export async function channelFeedMarkers(db: Db, viewer: Viewer, channelIds: string[]): Promise<Roots> {
  const feeds = await findFeedsOfChannels(db, await findReadable(db, viewer, channelIds))
  return feedRoots(viewer, feeds)
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
  return { roots: feedRoots(viewer, page), paging }
}

/** The markers of messages, by the id shown or the internal one, and of the feeds they are in. */
export async function messageMarkers(db: Db, viewer: Viewer, messageIds: string[]): Promise<Roots> {
  const places = await findReadablePlaces(db, viewer, messageIds)
  const feeds = places.map((place) => ({ id: place.messageFeedId, channelId: place.channelId }))
  return { contentMarkers: places.map((place) => place.id), ...feedRoots(viewer, feeds) }
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
  const { userMarkers: _own, ...roots } = feedRoots(viewer, feeds)
  return { roots, own: await findUserMarkers(db, [viewer.id], last < until ? last : until) }
}

/** Feeds, what the viewer has before them there, in the channels of them and in all. */
export function feedRoots(viewer: Viewer, feeds: { id: string; channelId: string }[]): Roots {
  return {
    userMarkers: [viewer.id],
    userEntityMarkers: feeds.map((feed) => ofUser(feed.channelId, viewer.id)),
    userFeedMarkers: feeds.map((feed) => ofUser(feed.id, viewer.id)),
    feedMarkers: feeds.map((feed) => feed.id),
  }
}

/** Internal ids of the channels named, by internal or public id, that the viewer may read. */
async function findReadable(db: Db, viewer: Viewer, channelIds: string[]): Promise<string[]> {
  const known = new Set((await findChannels(db, channelIds)).map((channel) => channel.id))
  const others = [...new Set(channelIds)].filter((id) => !known.has(id))
  const named = await Promise.all(others.map((id) => findChannelId(db, id)))
  const ids = [...known, ...named.filter((id) => id !== undefined)]
  return [...(await findReadableChannels(db, viewer, ids))]
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
