import {
  isMember,
  join,
  markRead,
  newMember,
  type ModelChannel,
  type ModelFeed,
  type ModelMessage,
} from './unread-model.ts'
import { addChannel, chance, clientOf, judged, open, pick, type World } from './unread-world.ts'

/** Something that may happen; answers what did, or null when there was no occasion for it. */
export type Action = (world: World) => Promise<string | null>

/** Sessions of reading end so many ms after the client last said that it reads. */
const readingMs = 60_000

function somewhere(world: World, types?: ModelChannel['type'][]) {
  const channel = pick(
    world,
    open(world).filter((one) => !types || types.includes(one.type)),
  )
  const user = pick(world, world.people)
  return channel && user ? { channel, user } : null
}

function somewhereRead(world: World) {
  const found = somewhere(world, ['community', 'broadcast', 'conversation'])
  if (!found) return null
  const feed = chance(world, 0.6) ? found.channel.feeds[0]! : pick(world, found.channel.feeds)!
  return { ...found, feed, member: found.channel.members.get(found.user) }
}

function someMentions(world: World): { wire: object[]; mentions: ModelMessage['mentions'] } {
  if (chance(world, 0.05)) return { wire: [{ type: 'channel' }], mentions: 'channel' }
  if (!chance(world, 0.15)) return { wire: [], mentions: new Set() }
  const user = pick(world, world.people)!
  return { wire: [{ type: 'user', userIds: [user] }], mentions: new Set([user]) }
}

/** A segment to mark: the last one, one in between, or one beyond. */
function someSegment(world: World, channel: ModelChannel): number {
  if (chance(world, 0.4)) return channel.messages.length
  return Math.floor(world.random() * (channel.messages.length + 3))
}

const isOpenTo = (channel: ModelChannel, user: string) =>
  channel.type === 'community' ||
  channel.type === 'live' ||
  channel.type === 'broadcast' ||
  isMember(channel, user)

/** Whether the channel says anything to the user: banned people are told nothing. */
function canRead(channel: ModelChannel, user: string): boolean {
  return isOpenTo(channel, user) && channel.members.get(user)?.membership !== 'banned'
}

async function write(world: World): Promise<string | null> {
  const found = somewhere(world)
  if (!found) return null
  const { channel } = found
  const isModerators = channel.type === 'broadcast' ? chance(world, 0.9) : chance(world, 0.1)
  const user = isModerators && channel.type !== 'conversation' ? world.moderator : found.user
  const member = channel.members.get(user)
  const feed = chance(world, 0.7) ? channel.feeds[0]! : pick(world, channel.feeds)!
  const { wire, mentions } = someMentions(world)
  const isAllowed =
    member?.membership === 'member' &&
    !feed.isDeleted &&
    (user === world.moderator || (channel.type !== 'broadcast' && !member.isMuted && !channel.isMuted))
  const answer = await clientOf(world, user).post('/api/v5/messages', {
    messageFeedId: feed.id,
    dataType: 'text',
    data: { text: 'hello' },
    mentionedUsers: wire,
  })
  const what = `${user} writes to ${channel.publicId}/${feed.id}`
  const body = judged(answer, isAllowed, what)
  if (!body) return `${what}, refused`
  const { messageId: id, segment } = body.messages[0]
  channel.messages.push({ id, segment, feed, author: user, mentions, isReply: false, isDeleted: false })
  if (segment !== channel.messages.length) throw new Error(`${what}: segment ${segment}`)
  return what
}

async function reply(world: World): Promise<string | null> {
  const channel = pick(world, open(world))
  const parents = channel?.messages
    .slice(-30)
    .filter((one) => !one.isReply && !one.isDeleted && !one.feed.isDeleted)
  const parent = parents && pick(world, parents)
  if (!channel || !parent) return null
  const people = world.people.filter((user) => isMember(channel, user) && !channel.members.get(user)!.isMuted)
  const user = pick(world, people)
  if (!user || channel.type === 'broadcast' || channel.isMuted) return null
  const answer = await clientOf(world, user).post('/api/v5/messages', {
    messageFeedId: parent.feed.id,
    dataType: 'text',
    data: { text: 'indeed' },
    parentId: parent.id,
  })
  const { messageId: id, segment } = judged(answer, true, `${user} replies to ${parent.id}`).messages[0]
  const said = { id, segment, feed: parent.feed, author: user, mentions: new Set<string>(), isDeleted: false }
  channel.messages.push({ ...said, isReply: true })
  return `${user} replies in ${channel.publicId}`
}

async function edit(world: World): Promise<string | null> {
  const channel = pick(world, open(world))
  const message = channel && pick(world, channel.messages.slice(-50))
  const member = message && channel.members.get(message.author)
  if (!message || message.isDeleted || message.feed.isDeleted || member?.membership !== 'member') return null
  if (member.isMuted) return null
  const { wire, mentions } = someMentions(world)
  const answer = await clientOf(world, message.author).put(`/api/v5/messages/${message.id}`, {
    data: { text: 'better' },
    mentionedUsers: wire,
  })
  const what = `${message.author} edits #${message.segment} of ${channel.publicId}`
  judged(answer, true, what)
  message.mentions = mentions
  return what
}

async function remove(world: World): Promise<string | null> {
  const channel = pick(world, open(world))
  const message = channel && pick(world, channel.messages.slice(-50))
  if (!message || message.feed.isDeleted) return null
  const isModerated = channel.type !== 'conversation' && chance(world, 0.4)
  const user = isModerated ? world.moderator : message.author
  if (!canRead(channel, user)) return null
  const what = `${user} deletes #${message.segment} of ${channel.publicId}`
  judged(await clientOf(world, user).delete(`/api/v5/messages/${message.id}`), true, what)
  message.isDeleted = true
  return what
}

async function seeChannel(world: World): Promise<string | null> {
  const found = somewhere(world)
  if (!found) return null
  const { channel, user } = found
  const segment = someSegment(world, channel)
  const what = `${user} has seen ${channel.publicId} up to ${segment}`
  const isOneOfMany = chance(world, 0.7)
  if (isOneOfMany) {
    const channels = [{ channelId: channel.publicId, readToSegment: segment }]
    judged(await clientOf(world, user).post('/api/v3/channels/seen', { channels }), true, what)
  } else {
    const path = `/api/v3/channels/${channel.publicId}/seen`
    const answer = await clientOf(world, user).post(path, { readToSegment: segment })
    judged(answer, isMember(channel, user), what)
  }
  if (isMember(channel, user)) markRead(channel, user, segment)
  return what
}

async function readChannel(world: World): Promise<string | null> {
  const found = somewhere(world)
  if (!found) return null
  const { channel, user } = found
  const what = `${user} reads all of ${channel.publicId}`
  const answer = await clientOf(world, user).put(`/api/v1/markers/channels/${channel.id}/mark-read`)
  if (judged(answer, isMember(channel, user), what)) markRead(channel, user, channel.messages.length)
  return what
}

async function readFeed(world: World): Promise<string | null> {
  const found = somewhereRead(world)
  if (!found) return null
  const { channel, user, feed } = found
  const readToSegment = someSegment(world, channel)
  const what = `${user} reads ${channel.publicId}/${feed.id} up to ${readToSegment}`
  const path = `/api/v1/markers/message-feeds/${feed.id}/mark-read`
  const answer = await clientOf(world, user).put(path, { readToSegment })
  if (judged(answer, isMember(channel, user), what)) markRead(channel, user, readToSegment, feed)
  return what
}

async function receive(world: World): Promise<string | null> {
  const found = somewhereRead(world)
  const message = found && pick(world, found.channel.messages)
  if (!message || message.feed.isDeleted) return null
  const { channel, user, member } = found
  const what = `${user} receives #${message.segment} of ${channel.publicId}`
  const path = `/api/v1/markers/message-feeds/${message.feed.id}/mark-delivering`
  const answer = await clientOf(world, user).put(path, { messageId: message.id })
  if (judged(answer, isMember(channel, user), what) && member) {
    const before = member.feedDeliveredTo.get(message.feed) ?? 0
    member.feedDeliveredTo.set(message.feed, Math.max(before, message.segment))
  }
  return what
}

async function startReading(world: World): Promise<string | null> {
  const found = somewhereRead(world)
  if (!found) return null
  const { channel, user, feed, member } = found
  const what = `${user} starts reading ${channel.publicId}/${feed.id}`
  const isBeat = chance(world, 0.3)
  const answer = await (isBeat
    ? clientOf(world, user).post('/api/v1/markers/message-feeds/reading', { messageFeedIds: [feed.id] })
    : clientOf(world, user).post(`/api/v1/markers/message-feeds/${feed.id}/start-reading`))
  judged(answer, isBeat || isMember(channel, user), what)
  if (!member || member.membership !== 'member') return `${what}, in vain`
  markRead(channel, user, channel.messages.length, feed)
  member.readingUntil.set(feed, world.time() + readingMs)
  return what
}

const isReading = (world: World, channel: ModelChannel, user: string, feed: ModelFeed) =>
  isMember(channel, user) && (channel.members.get(user)!.readingUntil.get(feed) ?? 0) > world.time()

async function stopReading(world: World): Promise<string | null> {
  const found = somewhereRead(world)
  if (!found || !isMember(found.channel, found.user)) return null
  const { channel, user, feed, member } = found
  const what = `${user} stops reading ${channel.publicId}/${feed.id}`
  const path = `/api/v1/markers/message-feeds/${feed.id}/${pick(world, ['stop-reading', 'stop-readings'])!}`
  judged(await clientOf(world, user).post(path), true, what)
  if (isReading(world, channel, user, feed)) markRead(channel, user, channel.messages.length, feed)
  member!.readingUntil.delete(feed)
  return what
}

async function sync(world: World): Promise<string | null> {
  const user = pick(world, world.people)!
  judged(await clientOf(world, user).post('/api/v1/markers/sync', {}), true, 'sync')
  for (const channel of open(world))
    for (const feed of channel.feeds)
      if (isReading(world, channel, user, feed)) markRead(channel, user, channel.messages.length, feed)
  return `${user} syncs`
}

async function comeOrGo(world: World): Promise<string | null> {
  const found = somewhere(world, ['community', 'broadcast', 'live'])
  if (!found) return null
  const { channel, user } = found
  const path = `/api/v3/channels/${channel.publicId}`
  const membership = channel.members.get(user)?.membership ?? 'none'
  if (membership === 'member' && chance(world, 0.5)) {
    judged(await clientOf(world, user).delete(`${path}/leave`), true, `${user} leaves`)
    channel.members.get(user)!.membership = 'none'
    return `${user} leaves ${channel.publicId}`
  }
  const answer = await clientOf(world, user).post(`${path}/join`)
  if (judged(answer, membership !== 'banned', `${user} joins`) && membership === 'none') join(channel, user)
  return `${user} joins ${channel.publicId}`
}

async function addOrRemove(world: World): Promise<string | null> {
  const found = somewhere(world, ['community', 'live'])
  if (!found) return null
  const { channel, user } = found
  const path = `/api/v3/channels/${channel.publicId}/users`
  if (chance(world, 0.6)) {
    judged(await clientOf(world, world.moderator).post(path, { userIds: [user] }), true, `${user} is added`)
    if ((channel.members.get(user)?.membership ?? 'none') === 'none') join(channel, user)
    return `${user} is added to ${channel.publicId}`
  }
  judged(await clientOf(world, world.moderator).delete(path, { userIds: [user] }), true, `${user} is removed`)
  const member = channel.members.get(user)
  if (member) member.membership = 'none'
  return `${user} is removed from ${channel.publicId}`
}

async function banOrUnban(world: World): Promise<string | null> {
  const found = somewhere(world, ['community', 'live'])
  if (!found) return null
  const { channel, user } = found
  const member = channel.members.get(user)
  const isBanned = member?.membership === 'banned'
  if (!isBanned && chance(world, 0.6)) return null
  const act = isBanned ? 'unban' : 'ban'
  const path = `/api/v3/channels/${channel.publicId}/users/${act}`
  judged(await clientOf(world, world.moderator).put(path, { userIds: [user] }), true, `${act} ${user}`)
  if (!member) channel.members.set(user, { ...newMember(0), membership: 'banned' })
  else member.membership = isBanned ? 'none' : 'banned'
  // A ban takes back what was said.
  if (!isBanned) for (const message of channel.messages) if (message.author === user) message.isDeleted = true
  return `${act} ${user} in ${channel.publicId}`
}

async function mute(world: World): Promise<string | null> {
  const found = somewhere(world, ['community', 'live'])
  const member = found?.channel.members.get(found.user)
  if (!found || member?.membership !== 'member') return null
  const { channel, user } = found
  const path = `/api/v2/channel/${channel.publicId}`
  const moderator = clientOf(world, world.moderator)
  if (chance(world, 0.2)) {
    channel.isMuted = !channel.isMuted
    judged(
      await moderator.put(`${path}/mute`, { mutePeriod: channel.isMuted ? -1 : 0 }),
      true,
      'mute channel',
    )
    return `${channel.publicId} is muted: ${channel.isMuted}`
  }
  member.isMuted = !member.isMuted
  const body = { userIds: [user], mutePeriod: member.isMuted ? -1 : 0 }
  judged(await moderator.put(`${path}/users/mute`, body), true, 'mute')
  return `${user} is muted in ${channel.publicId}: ${member.isMuted}`
}

async function changeFeeds(world: World): Promise<string | null> {
  const channel = pick(world, open(world))
  if (!channel || channel.type === 'conversation') return null
  const moderator = clientOf(world, world.moderator)
  const feed = pick(
    world,
    channel.feeds.slice(1).filter((one) => !one.isDeleted),
  )
  if (feed && chance(world, 0.4)) {
    judged(await moderator.delete(`/api/v5/message-feeds/${feed.id}`), true, 'delete feed')
    feed.isDeleted = true
    return `feed ${feed.id} of ${channel.publicId} is deleted`
  }
  if (channel.feeds.filter((one) => !one.isDeleted).length > 3 || channel.feeds.length > 12) return null
  const body = judged(
    await moderator.post('/api/v5/message-feeds', { channelId: channel.id, name: 'side' }),
    true,
    'feed',
  )
  channel.feeds.push({ id: body.messageFeeds[0].messageFeedId, isDeleted: false })
  return `${channel.publicId} gets a feed`
}

async function replaceChannel(world: World): Promise<string | null> {
  const channel = pick(
    world,
    open(world).filter((one) => one.type !== 'conversation'),
  )
  if (!channel) return null
  const path = `/api/v3/channels/${channel.publicId}`
  judged(await clientOf(world, world.moderator).delete(path), true, 'delete channel')
  channel.isDeleted = true
  // Forgotten after a while, so that a long walk does not end among ruins.
  world.channels = world.channels.filter((one) => !one.isDeleted || one === channel)
  return `${channel.publicId} is deleted; ${await addChannel(world, channel.type)}`
}

async function wait(world: World): Promise<string> {
  world.pass(20_000)
  return 'time passes'
}

/** What may happen, and how often beside the others. */
export const actions: Record<string, { weight: number; act: Action }> = {
  write: { weight: 34, act: write },
  reply: { weight: 5, act: reply },
  edit: { weight: 5, act: edit },
  remove: { weight: 7, act: remove },
  seeChannel: { weight: 8, act: seeChannel },
  readChannel: { weight: 2, act: readChannel },
  readFeed: { weight: 9, act: readFeed },
  receive: { weight: 4, act: receive },
  startReading: { weight: 4, act: startReading },
  stopReading: { weight: 3, act: stopReading },
  sync: { weight: 3, act: sync },
  comeOrGo: { weight: 7, act: comeOrGo },
  addOrRemove: { weight: 3, act: addOrRemove },
  banOrUnban: { weight: 3, act: banOrUnban },
  mute: { weight: 2, act: mute },
  changeFeeds: { weight: 2, act: changeFeeds },
  replaceChannel: { weight: 0.15, act: replaceChannel },
  wait: { weight: 1, act: wait },
}
