import type { Tx } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import { findMemberFacts, lockChannels, may, type ChannelFacts, type MemberFacts } from '../channels/index.ts'
import { findFilesById, type FileRow, type VideoSetting } from '../files/index.ts'
import { findMessageFeedFacts, type MessageFeedFacts } from '../message-feeds/index.ts'
import { readSettings } from '../network-settings/index.ts'
import { findUsersById, type UserRow } from '../users/index.ts'
import { allowsChannelMentions, mentionsWholeChannel, resolveMentioned } from './mentions.ts'
import type { DataType, Mentions } from './schema.ts'
import {
  findMessagePlaces,
  findRecentTimes,
  findSentMessages,
  type MessagePlace,
  type MessageRow,
} from './store.ts'

/** A message on its way: where to, from whom, and what it says. Channel and feed by internal id. */
export interface Send {
  viewer: Viewer
  channelId: string
  messageFeedId: string
  messageId: string | null
  referenceId: string | null
  dataType: DataType
  data: object
  metadata: object
  fileId: string | null
  thumbnailFileId: string | null
  parentId: string | null
  tags: string[]
  mentions: Mentions
}

/** All that the checks of a batch of sends ask for, read once, under the lock of the channels. */
export interface Situation {
  channels: Map<string, ChannelFacts>
  feeds: Map<string, MessageFeedFacts>
  users: Map<string, UserRow>
  files: Map<string, FileRow>
  /** What the network says of videos in messages. */
  videoSetting: VideoSetting
  memberOf(send: Send): MemberFacts | undefined
  parentOf(send: Send): MessagePlace | undefined
  /** A user as mentioned: by public id, else by internal id. */
  userNamed(id: string): UserRow | undefined
  allowsChannelMentions: boolean
  /** When the sender last wrote to a slow channel, oldest first; null when nothing slows this sender. */
  recentOf(send: Send): Date[] | null
  /** The message an earlier send of the same made; fails with `duplicate` if its id belongs to another message. */
  findRepeated(send: Send): MessageRow | undefined
  /** Makes later sends of the batch see this one. */
  remember(send: Send, message: MessageRow): void
}

export async function readSituation(tx: Tx, sends: Send[], skipLocked: boolean): Promise<Situation> {
  const channelIds = distinct(sends.map((send) => send.channelId))
  const channels = index(await lockChannels(tx, channelIds, { skipLocked }))
  const feeds = index(await findMessageFeedFacts(tx, distinct(sends.map((send) => send.messageFeedId))))
  const senders = new Map(
    sends.map(({ channelId, viewer }) => [`${channelId}:${viewer.id}`, { channelId, userId: viewer.id }]),
  )
  const members = new Map(
    (await findMemberFacts(tx, [...senders.values()])).map((member) => [
      `${member.channelId}:${member.userId}`,
      member,
    ]),
  )
  const sent = await findSentMessages(
    tx,
    sends.map(({ viewer, channelId, messageId, referenceId }) => ({
      channelId,
      creatorId: viewer.id,
      messageId,
      referenceId,
    })),
  )
  const parentIds = sends.flatMap((send) => send.parentId ?? [])
  const parents = parentIds.length > 0 ? await findMessagePlaces(tx, distinct(parentIds)) : []

  const mentions = sends.flatMap((send) => send.mentions)
  const { named, idOf } = await resolveMentioned(tx, mentions)
  const users = index(
    await findUsersById(tx, distinct([...sends.map((send) => send.viewer.id), ...named.map(idOf)])),
  )
  const fileIds = [
    ...sends.flatMap(({ fileId, thumbnailFileId }) => [fileId, thumbnailFileId]),
    ...[...users.values()].map((user) => user.avatarFileId),
  ].filter((id) => id !== null)
  const files = index(fileIds.length > 0 ? await findFilesById(tx, distinct(fileIds)) : [])

  const memberOf = ({ channelId, viewer }: Send) => members.get(`${channelId}:${viewer.id}`)
  const slowed = sends.filter(
    (send) =>
      channels.get(send.channelId)?.isRateLimited &&
      !may('EDIT_CHANNEL_RATELIMIT', send.viewer, memberOf(send)),
  )
  const recent = await readRecent(tx, channels, slowed)
  const bySentId = new Map<string, MessageRow>()
  const remember = (message: MessageRow) => {
    bySentId.set(message.id, message).set(message.publicId, message)
    if (message.referenceId !== null) bySentId.set(referenceKey(message), message)
  }
  sent.forEach(remember)

  return {
    channels,
    feeds,
    users,
    files,
    videoSetting: (await readSettings(tx, 'feed-setting')).message.video,
    memberOf,
    parentOf: (send) =>
      parents.find((parent) => parent.publicId === send.parentId && parent.channelId === send.channelId) ??
      parents.find((parent) => parent.id === send.parentId),
    userNamed: (id) => users.get(idOf(id)),
    allowsChannelMentions: !mentionsWholeChannel(mentions) || (await allowsChannelMentions(tx)),
    recentOf: (send) => recent.get(`${send.channelId}:${send.viewer.id}`) ?? null,
    findRepeated(send) {
      const creatorId = send.viewer.id
      const byMessageId = send.messageId === null ? undefined : bySentId.get(send.messageId)
      if (byMessageId && (byMessageId.creatorId !== creatorId || byMessageId.channelId !== send.channelId))
        return fail('duplicate', 'messageId')
      if (byMessageId) return byMessageId
      const { channelId, referenceId } = send
      return referenceId === null
        ? undefined
        : bySentId.get(referenceKey({ channelId, creatorId, referenceId }))
    },
    remember(send, message) {
      remember(message)
      recent.get(`${send.channelId}:${send.viewer.id}`)?.push(message.createdAt)
    },
  }
}

async function readRecent(
  tx: Tx,
  channels: Map<string, ChannelFacts>,
  sends: Send[],
): Promise<Map<string, Date[]>> {
  const recent = new Map<string, Date[]>()
  for (const { channelId, viewer } of sends) recent.set(`${channelId}:${viewer.id}`, [])
  if (recent.size === 0) return recent
  const asked = [...recent.keys()].map((key) => {
    const [channelId = '', creatorId = ''] = key.split(':')
    return { channelId, creatorId, limit: channels.get(channelId)?.rateLimit ?? 0 }
  })
  for (const { channelId, creatorId, times } of await findRecentTimes(tx, asked))
    recent.set(`${channelId}:${creatorId}`, times)
  return recent
}

function referenceKey(of: { channelId: string; creatorId: string; referenceId: string | null }): string {
  return `${of.channelId}:${of.creatorId}:${of.referenceId}`
}

function index<Row extends { id: string }>(rows: Row[]): Map<string, Row> {
  return new Map(rows.map((row) => [row.id, row]))
}

function distinct(ids: string[]): string[] {
  return [...new Set(ids)]
}
