import { now } from '../../platform/clock.ts'
import type { Tx } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import { emit } from '../../kernel/outbox/emit.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import { advanceReadMarks, findChannels, isMember } from '../channels/index.ts'
import { requireReadableFeed } from '../message-feeds/index.ts'
import { requireReadableMessage } from '../messages/index.ts'
import { feedMarkerUpdated, messageMarked, userFeedMarkerUpdated, userMarkerSynced } from './events.ts'
import {
  advanceFeedMarks,
  endReading,
  findLastMessages,
  findReach,
  findReading,
  findReceipts,
  upsertReading,
  type FeedMark,
  type Receipt,
  type WantedMark,
} from './mark-store.ts'
import { findFeedsOfChannels } from './store.ts'

/** A feed and its channel, by internal ids. */
export interface FeedRef {
  id: string
  channelId: string
}

/** A client that reads says so every 30 seconds; after so many ms without, it has gone. */
const readingMs = 60_000
/** So many messages of a feed are told of at once when somebody has read or received them: a screenful. */
const receiptsAtOnce = 20
const feedsToldAtOnce = 100

/** Marks what was said in channels as read up to a segment, in every feed. Marks only move up. */
export async function markChannelsRead(
  tx: Tx,
  viewer: Viewer,
  marks: { channelId: string; segment: number }[],
): Promise<void> {
  await setReadMarks(
    tx,
    viewer,
    marks.map((mark) => ({ ...mark, messageFeedId: null })),
  )
}

/** Marks a feed as read up to a segment. Marks only move up. */
export async function markFeedRead(tx: Tx, viewer: Viewer, id: string, segment: number): Promise<FeedRef> {
  const { feed } = await requireOwnFeed(tx, viewer, id)
  await setReadMarks(tx, viewer, [{ channelId: feed.channelId, messageFeedId: feed.id, segment }])
  return feed
}

/** Marks a feed as received up to a message. */
export async function markFeedDelivered(
  tx: Tx,
  viewer: Viewer,
  id: string,
  messageId: string,
): Promise<FeedRef> {
  const { feed } = await requireOwnFeed(tx, viewer, id)
  const message = await requireReadableMessage(tx, viewer, messageId)
  if (message.messageFeedId !== feed.id) fail('notFound', 'message')
  const wanted = { channelId: feed.channelId, messageFeedId: feed.id, segment: message.segment }
  const receipts = await findReceipts(tx, viewer.id, [wanted], 'delivered', receiptsAtOnce)
  const mark = { ...wanted, readToSegment: 0, deliveredToSegment: message.segment }
  const moved = await advanceFeedMarks(tx, viewer.id, [mark], now())
  await tell(tx, viewer, receipts, moved.length > 0 ? [feed] : [])
  return feed
}

/** Someone opens a feed: all of it is read, and what comes is read while they stay. */
export async function startReading(tx: Tx, viewer: Viewer, id: string): Promise<FeedRef> {
  const { feed } = await requireOwnFeed(tx, viewer, id)
  await keepReading(tx, viewer, [feed])
  return feed
}

/** Someone has feeds before their eyes, and will have for a while. */
export async function keepReading(tx: Tx, viewer: Viewer, feeds: FeedRef[]): Promise<void> {
  await setReadMarks(tx, viewer, await toTheLast(tx, feeds))
  const at = now()
  await upsertReading(tx, viewer.id, feeds, new Date(at.getTime() + readingMs), at)
}

/** Someone leaves a feed: what came while they were there is read, nothing that comes later is. */
export async function stopReading(tx: Tx, viewer: Viewer, id: string): Promise<FeedRef> {
  const { feed } = await requireOwnFeed(tx, viewer, id)
  const reading = await findReading(tx, viewer.id, now())
  const seen = reading.filter((one) => one.id === feed.id)
  await setReadMarks(tx, viewer, await toTheLast(tx, seen))
  await endReading(tx, viewer.id, feed.id)
  return feed
}

/** Marks as read what came in the feeds that the viewer has before their eyes. */
export async function settleReading(tx: Tx, viewer: Viewer): Promise<void> {
  const reading = await findReading(tx, viewer.id, now())
  await setReadMarks(tx, viewer, await toTheLast(tx, reading))
}

async function toTheLast(tx: Tx, feeds: FeedRef[]): Promise<WantedMark[]> {
  const channels = await findChannels(tx, [...new Set(feeds.map((feed) => feed.channelId))])
  const lastOf = new Map(channels.map((channel) => [channel.id, channel.messageCount]))
  return feeds.map(({ id, channelId }) => ({
    channelId,
    messageFeedId: id,
    segment: lastOf.get(channelId) ?? 0,
  }))
}

/**
 * Sets read marks. The membership's own mark goes as far as everything below is read; only marks in single feeds
 * beyond it are kept apart.
 */
async function setReadMarks(tx: Tx, viewer: Viewer, wanted: WantedMark[]): Promise<void> {
  if (wanted.length === 0) return
  const at = now()
  const receipts = await findReceipts(tx, viewer.id, wanted, 'read', receiptsAtOnce)
  const reach = await findReach(tx, viewer.id, wanted)
  const moved = await advanceReadMarks(
    tx,
    reach.map((mark) => ({ ...mark, userId: viewer.id })),
    at,
  )
  const marks: FeedMark[] = wanted.flatMap(({ channelId, messageFeedId, segment }) =>
    messageFeedId === null
      ? []
      : { channelId, messageFeedId, readToSegment: segment, deliveredToSegment: segment },
  )
  const movedFeeds = new Set(marks.length > 0 ? await advanceFeedMarks(tx, viewer.id, marks, at) : [])
  const movedChannels = new Set(moved.map(({ channelId }) => channelId))
  const feeds = marks
    .filter((mark) => movedFeeds.has(mark.messageFeedId) || movedChannels.has(mark.channelId))
    .map((mark) => ({ id: mark.messageFeedId, channelId: mark.channelId }))
  const whole = wanted.filter((mark) => mark.messageFeedId === null && movedChannels.has(mark.channelId))
  if (whole.length > 0)
    feeds.push(
      ...(await findFeedsOfChannels(
        tx,
        whole.map((mark) => mark.channelId),
      )),
    )
  await tell(tx, viewer, receipts, feeds)
}

/** Tells those who follow how messages are read, and the viewer's other devices. */
async function tell(tx: Tx, viewer: Viewer, receipts: Receipt[], feeds: FeedRef[]): Promise<void> {
  const byFeed = new Map<string, Receipt[]>()
  for (const receipt of receipts)
    byFeed.set(receipt.messageFeedId, [...(byFeed.get(receipt.messageFeedId) ?? []), receipt])
  const lastOf = await findLastMessages(tx, [...byFeed.keys()])
  const channels = await findChannels(tx, [...new Set(receipts.map((receipt) => receipt.channelId))])
  const publicIdOf = new Map(channels.map((channel) => [channel.id, channel.channelId]))
  const subjects = [...byFeed].flatMap(([messageFeedId, read]) => {
    const channelPublicId = publicIdOf.get(read[0]!.channelId) ?? ''
    const ids = read.slice(0, receiptsAtOnce).map((receipt) => receipt.id)
    const messageIds = [...new Set([lastOf.get(messageFeedId) ?? ids[0]!, ...ids])]
    // Nobody can subscribe to a topic with these characters in an id.
    return /[+#/]/.test(channelPublicId) ? [] : { channelPublicId, messageFeedId, messageIds }
  })
  await emit(tx, messageMarked, ...subjects.map((subject) => ({ actorId: viewer.id, subject })))
  if (feeds.length === 0) return
  const happening = {
    actorId: viewer.id,
    subject: { userId: viewer.id, feeds: feeds.slice(0, feedsToldAtOnce) },
  }
  await emit(tx, feedMarkerUpdated, happening)
  await emit(tx, userFeedMarkerUpdated, happening)
  await emit(tx, userMarkerSynced, happening)
}

/** A feed that the viewer, as a member of its channel, may read. */
async function requireOwnFeed(tx: Tx, viewer: Viewer, id: string) {
  const { feed, channel, member } = await requireReadableFeed(tx, viewer, id)
  if (!isMember(member)) fail('notAMember')
  return { feed: { id: feed.id, channelId: feed.channelId }, channel }
}
