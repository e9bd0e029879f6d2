import { expect } from 'vitest'
import { isMember, mentions, readersOf, unreadOf, type ModelChannel, type ModelFeed } from './unread-model.ts'
import { pick, type World } from './unread-world.ts'

/** One person looks at one channel, as one kind of client does. */
type Check = (world: World, channel: ModelChannel, user: string) => Promise<void>

interface Seen {
  unread: number
  isMentioned: boolean
}

function expected(channel: ModelChannel, user: string, feed?: ModelFeed): Seen {
  const unread = unreadOf(channel, user, feed)
  return { unread: unread.length, isMentioned: unread.some((message) => mentions(message, user)) }
}

const nothing: Seen = { unread: 0, isMentioned: false }
const get = async (world: World, user: string, path: string, query?: Record<string, unknown>) => {
  const { status, body } = await world.clients.get(user)!.get(path, query)
  expect(status, path).toBe(200)
  return body
}

/** Channels with their markers, as the clients list them. */
const channelMarkers: Check = async (world, channel, user) => {
  const body = await get(world, user, '/api/v1/markers/channels', { channelIds: [channel.id] })
  const [marker] = body.userEntityMarkers
  const seen = marker ? { unread: marker.unreadCount, isMentioned: marker.isMentioned } : nothing
  expect(seen, `markers of ${channel.publicId} for ${user}`).toEqual(expected(channel, user))
}

/** Clients of 6.35 subtract a feed's mark from its last segment. */
const feedMarkers: Check = async (world, channel, user) => {
  const body = await get(world, user, '/api/v1/markers/user-message-feed', { channelIds: [channel.id] })
  const markers = new Map<string, any>(body.userFeedMarkers.map((one: any) => [one.feedId, one])) // eslint-disable-line @typescript-eslint/no-explicit-any -- the wire
  const last = new Map<string, number>(body.feedMarkers.map((one: any) => [one.feedId, one.lastSegment])) // eslint-disable-line @typescript-eslint/no-explicit-any -- the wire
  for (const feed of channel.feeds) {
    const marker = markers.get(feed.id)
    const what = `feed ${feed.id} of ${channel.publicId} for ${user}`
    if (!marker) {
      expect(isMember(channel, user) && !channel.isDeleted, what).toBe(false)
      continue
    }
    const wanted = expected(channel, user, feed)
    expect({ unread: marker.unreadCount, isMentioned: marker.isMentioned }, what).toEqual(wanted)
    const subtracted = Math.max(0, last.get(feed.id)! - marker.readToSegment)
    const isAbove = marker.lastMentionSegment > marker.readToSegment
    if (isMember(channel, user) && channel.type !== 'live' && !feed.isDeleted)
      expect({ unread: subtracted, isMentioned: isAbove }, `${what}, subtracted`).toEqual(wanted)
  }
}

/** Clients of 7.20 subtract the membership's mark from the channel's message count. */
const channelUser: Check = async (world, channel, user) => {
  if (!isMember(channel, user) || channel.isDeleted || channel.type === 'live') return
  const body = await get(world, user, '/api/v3/channels/list', { channelIds: [channel.publicId] })
  const own = body.channelUsers.find((one: { userId: string }) => one.userId === user)
  const seen = {
    unread: body.channels[0].messageCount - own.readToSegment,
    isMentioned: own.lastMentionedSegment > own.readToSegment,
  }
  expect(seen, `channel ${channel.publicId} of ${user}`).toEqual(expected(channel, user))
}

const total: Check = async (world, _channel, user) => {
  const body = await get(world, user, '/api/v1/markers/userMarker')
  const all = world.channels.map((channel) => expected(channel, user))
  expect(body.userMarkers[0]).toMatchObject({
    unreadCount: all.reduce((sum, one) => sum + one.unread, 0),
    isMentioned: all.some((one) => one.isMentioned),
  })
}

/** How many have read and received messages, and who. */
const readers: Check = async (world, channel, user) => {
  if (!isMember(channel, user) || channel.isDeleted) return
  const shown = channel.messages.filter((message) => !message.isDeleted && !message.feed.isDeleted).slice(-40)
  const message = pick(world, shown)
  if (!message) return
  const body = await get(world, user, '/api/v1/markers/messages', { messageIds: [message.id] })
  const [read, delivered] = [readersOf(channel, message, 'read'), readersOf(channel, message, 'delivered')]
  const counts = { readCount: read.length, deliveredCount: delivered.length }
  expect(body.contentMarkers[0], `#${message.segment} of ${channel.publicId}`).toMatchObject(counts)
  for (const [path, who] of [
    ['read-users', read],
    ['delivered-users', delivered],
  ] as const) {
    const page = await get(world, user, `/api/v1/markers/messages/${message.id}/${path}`)
    expect(page.publicUserIds.toSorted(), `${path} of #${message.segment} of ${channel.publicId}`).toEqual(
      who,
    )
  }
}

export const checks: readonly Check[] = [channelMarkers, feedMarkers, channelUser, total, readers]

/** Everybody looks at everything. */
export async function checkEverything(world: World): Promise<void> {
  for (const user of world.people) {
    await total(world, world.channels[0]!, user)
    for (const channel of world.channels) {
      await feedMarkers(world, channel, user)
      await channelUser(world, channel, user)
    }
  }
}
