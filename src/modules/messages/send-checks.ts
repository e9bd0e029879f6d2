import { ApiError, fail } from '../../kernel/errors.ts'
import { canSeeChannel, canWriteMessages, may, type ChannelFacts } from '../channels/index.ts'
import { requireAllowedVideo, requireShowable, type FileRow } from '../files/index.ts'
import type { UserRow } from '../users/index.ts'
import { channelMentionsOff, mentionsWholeChannel, namedIn } from './mentions.ts'
import type { DataType } from './schema.ts'
import type { Send, Situation } from './send-situation.ts'
import type { MessagePlace } from './store.ts'

/** A message that may be written, and what it refers to. */
export interface CheckedSend {
  channel: ChannelFacts
  parent: MessagePlace | undefined
  mentioned: UserRow[]
  mentionsChannel: boolean
}

/** Judges one message of a batch. Fails with the error its sender is told. */
export function checkSend(situation: Situation, send: Send, at: Date): CheckedSend {
  const { viewer } = send
  const channel = situation.channels.get(send.channelId)
  const member = situation.memberOf(send)
  const feed = situation.feeds.get(send.messageFeedId)
  if (!channel || channel.isDeleted || !canSeeChannel(viewer, channel, member))
    return fail('notFound', 'channel')
  if (!feed || feed.isDeleted || feed.channelId !== channel.id) return fail('notFound', 'message feed')
  if (member?.membership === 'banned') fail('banned')
  if (channel.isClosed) fail('forbidden', 'the channel is closed')
  if (!canWriteMessages(viewer, channel, member))
    fail(channel.type === 'broadcast' ? 'permissionDenied' : 'notAMember')
  if (member?.isMuted) fail('userMuted')
  if (channel.isMuted && !may('MUTE_CHANNEL', viewer, member)) fail('channelMuted')
  requirePace(channel, situation.recentOf(send), at)
  if (send.fileId !== null) {
    const file = requireFile(situation, send.fileId, fileTypes[send.dataType])
    if (send.dataType === 'video') requireAllowedVideo(file, situation.videoSetting)
  }
  if (send.thumbnailFileId !== null) requireFile(situation, send.thumbnailFileId, ['image'])
  return {
    channel,
    parent: send.parentId === null ? undefined : requireParent(situation, send),
    mentioned: mentionedUsers(situation, send),
    mentionsChannel: mentionsChannel(situation, send),
  }
}

// Slow mode: the client is told how long to wait.
function requirePace({ rateLimit, rateLimitWindow }: ChannelFacts, times: Date[] | null, at: Date): void {
  if (!times || rateLimit === 0) return
  const oldest = times.at(-rateLimit)
  if (!oldest) return
  const wait = oldest.getTime() + rateLimitWindow - at.getTime()
  if (wait > 0) throw new ApiError('rateLimited', ['the channel is in slow mode'], wait)
}

const anyFile = null
const fileTypes: Record<DataType, readonly string[] | null> = {
  text: anyFile,
  custom: anyFile,
  imagemap: anyFile,
  file: anyFile,
  image: ['image'],
  video: ['video', 'clip'],
  audio: ['audio'],
}

function requireFile({ files }: Situation, fileId: string, types: readonly string[] | null): FileRow {
  return requireShowable(files.get(fileId), `file ${fileId}`, types)
}

function requireParent(situation: Situation, send: Send): MessagePlace {
  const parent = situation.parentOf(send)
  if (!parent || parent.isDeleted || parent.messageFeedId !== send.messageFeedId)
    return fail('notFound', 'parent message')
  // One level, as the interface has it: a reply answers a message, never a reply.
  if (parent.parentId !== null) fail('badRequest', 'a reply cannot be replied to')
  return parent
}

function mentionedUsers(situation: Situation, { mentions }: Send): UserRow[] {
  const users = new Map<string, UserRow>()
  for (const id of namedIn(mentions)) {
    const user = situation.userNamed(id)
    if (!user || user.isDeleted) return fail('notFound', `user ${id}`)
    users.set(user.id, user)
  }
  return [...users.values()]
}

function mentionsChannel(situation: Situation, { mentions }: Send): boolean {
  const isMentioned = mentionsWholeChannel(mentions)
  if (isMentioned && !situation.allowsChannelMentions) fail('forbidden', channelMentionsOff)
  return isMentioned
}
