/**
 * What unread means, said as plainly as can be: no floors, no counters, every question answered by looking at every
 * message. The server is right when it says the same.
 */
export interface ModelMessage {
  id: string
  segment: number
  feed: ModelFeed
  author: string
  /** Who is mentioned by name, or everybody. */
  mentions: ReadonlySet<string> | 'channel'
  isReply: boolean
  isDeleted: boolean
}

export interface ModelFeed {
  id: string
  isDeleted: boolean
}

export interface ModelMember {
  membership: 'none' | 'member' | 'banned'
  isMuted: boolean
  joinedAt: number
  /** Up to where everything in the channel is read; and feed by feed. */
  readTo: number
  feedReadTo: Map<ModelFeed, number>
  feedDeliveredTo: Map<ModelFeed, number>
  readingUntil: Map<ModelFeed, number>
}

export interface ModelChannel {
  id: string
  publicId: string
  type: 'community' | 'live' | 'broadcast' | 'conversation'
  isMuted: boolean
  isDeleted: boolean
  feeds: ModelFeed[]
  messages: ModelMessage[]
  members: Map<string, ModelMember>
}

export function newMember(joinedAt: number): ModelMember {
  return {
    membership: 'member',
    isMuted: false,
    joinedAt,
    readTo: joinedAt,
    feedReadTo: new Map(),
    feedDeliveredTo: new Map(),
    readingUntil: new Map(),
  }
}

export function isMember(channel: ModelChannel, user: string): boolean {
  return channel.members.get(user)?.membership === 'member'
}

export function join(channel: ModelChannel, user: string): void {
  const now = channel.messages.length
  const member = channel.members.get(user)
  if (!member) return void channel.members.set(user, newMember(now))
  member.membership = 'member'
  member.joinedAt = now
  member.readTo = Math.max(member.readTo, now)
}

function hasRead(member: ModelMember, message: ModelMessage): boolean {
  return Math.max(member.readTo, member.feedReadTo.get(message.feed) ?? 0) >= message.segment
}

function hasReceived(member: ModelMember, message: ModelMessage): boolean {
  return hasRead(member, message) || (member.feedDeliveredTo.get(message.feed) ?? 0) >= message.segment
}

export function mentions(message: ModelMessage, user: string): boolean {
  return message.mentions === 'channel' || message.mentions.has(user)
}

/** The messages that a user has before them in a channel, in all feeds or in one. */
export function unreadOf(channel: ModelChannel, user: string, feed?: ModelFeed): ModelMessage[] {
  const member = channel.members.get(user)
  if (member?.membership !== 'member' || channel.isDeleted || channel.type === 'live') return []
  return channel.messages.filter(
    (message) =>
      message.author !== user &&
      !message.isDeleted &&
      !message.feed.isDeleted &&
      (feed === undefined || message.feed === feed) &&
      !hasRead(member, message),
  )
}

/** Who has read or received a message: of those who are members and were when it was sent, without its author. */
export function readersOf(
  channel: ModelChannel,
  message: ModelMessage,
  kind: 'read' | 'delivered',
): string[] {
  const has = kind === 'read' ? hasRead : hasReceived
  return [...channel.members]
    .filter(([user, member]) => user !== message.author && member.membership === 'member')
    .filter(([, member]) => member.joinedAt < message.segment && has(member, message))
    .map(([user]) => user)
    .sort()
}

/** Marks a feed as read up to a segment, or with no feed the whole channel. */
export function markRead(channel: ModelChannel, user: string, segment: number, feed?: ModelFeed): void {
  const member = channel.members.get(user)!
  const upTo = Math.min(segment, channel.messages.length)
  if (feed) member.feedReadTo.set(feed, Math.max(member.feedReadTo.get(feed) ?? 0, upTo))
  else member.readTo = Math.max(member.readTo, upTo)
}
