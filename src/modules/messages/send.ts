import { now } from '../../platform/clock.ts'
import { newId } from '../../platform/ids.ts'
import type { Outcome } from '../../platform/group-commit.ts'
import type { Tx } from '../../kernel/database.ts'
import { emit } from '../../kernel/outbox/emit.ts'
import { advanceChannels, markMentioned } from '../channels/index.ts'
import { advanceMessageFeeds, type MessageFeedFacts, type MessageFeedRow } from '../message-feeds/index.ts'
import type { UserRow } from '../users/index.ts'
import type { FileRow } from '../files/index.ts'
import { messageCreated } from './events.ts'
import { checkSend, type CheckedSend } from './send-checks.ts'
import { readSituation, type Send, type Situation } from './send-situation.ts'
import { countReplies, insertMessages, type MessageRow } from './store.ts'

/** A message that was written, now or by an earlier send of the same, and what its answer shows beside it. */
export interface Sent {
  message: MessageRow
  isNew: boolean
  /** The feed with its newest message; absent when nothing new was written to it. */
  feed: MessageFeedRow | undefined
  users: Map<string, UserRow>
  files: Map<string, FileRow>
}

/** Somebody else has locked the channel: the message may be sent by a batch that waits. */
export class ChannelBusyError extends Error {}

/**
 * Sends a batch of messages, to any number of channels, in one transaction: locks the channels, reads all the checks
 * need, judges each message by itself, and writes those that pass, giving segments in the order of the batch. The
 * statements are as many for one message as for a hundred. With `skipLocked`, messages to channels that someone else
 * has locked fail with `ChannelBusyError`.
 */
export async function sendMessages(
  tx: Tx,
  sends: Send[],
  { skipLocked = false } = {},
): Promise<Outcome<Sent>[]> {
  const situation = await readSituation(tx, sends, skipLocked)
  const at = now()
  const written: MessageRow[] = []
  const outcomes = sends.map((send): { message: MessageRow; isNew: boolean } | { error: unknown } => {
    if (skipLocked && !situation.channels.has(send.channelId)) return { error: new ChannelBusyError() }
    try {
      const repeated = situation.findRepeated(send)
      const message = repeated ?? compose(send, checkSend(situation, send, at), at)
      if (!repeated) {
        written.push(message)
        situation.remember(send, message)
      }
      return { message, isNew: !repeated }
    } catch (error) {
      return { error }
    }
  })
  const feeds = await write(tx, situation, written, at)
  const { users, files } = situation
  return outcomes.map((outcome) =>
    'error' in outcome
      ? outcome
      : { value: { ...outcome, feed: feeds.get(outcome.message.messageFeedId), users, files } },
  )
}

function compose(
  send: Send,
  { channel, parent, mentioned, mentionsChannel }: CheckedSend,
  at: Date,
): MessageRow {
  const id = newId()
  // The lock on the channel's row makes the next segment ours.
  channel.messageCount += 1
  return {
    id,
    publicId: send.messageId ?? id,
    referenceId: send.referenceId,
    channelId: channel.id,
    channelPublicId: channel.channelId,
    channelType: channel.type,
    messageFeedId: send.messageFeedId,
    segment: channel.messageCount,
    creatorId: send.viewer.id,
    creatorPublicId: send.viewer.userId,
    parentId: parent?.id ?? null,
    parentPublicId: parent?.publicId ?? null,
    dataType: send.dataType,
    data: send.data as MessageRow['data'],
    metadata: send.metadata as MessageRow['metadata'],
    fileId: send.fileId,
    thumbnailFileId: send.thumbnailFileId,
    tags: send.tags,
    mentionedUserIds: mentioned.map((user) => user.id),
    mentionedUserPublicIds: mentioned.map((user) => user.userId),
    mentionsChannel,
    childCount: 0,
    flagCount: 0,
    hashFlag: null,
    reactions: {},
    reactionCount: 0,
    latestReaction: null,
    isDeleted: false,
    deletedAt: null,
    editedAt: null,
    createdAt: at,
    updatedAt: at,
  }
}

/** Writes what passed; answers the feeds as they are then. */
async function write(
  tx: Tx,
  situation: Situation,
  written: MessageRow[],
  at: Date,
): Promise<Map<string, MessageFeedRow>> {
  const feeds = new Map<string, MessageFeedRow>()
  if (written.length === 0) return feeds
  await insertMessages(tx, written)
  const byChannel = groupBy(written, (row) => row.channelId)
  await advanceChannels(
    tx,
    [...byChannel].map(([id, rows]) => ({
      id,
      messages: rows.length,
      lastActivity: at,
      mentionSegment: rows.findLast((row) => row.mentionsChannel)?.segment ?? 0,
    })),
  )
  const byFeed = groupBy(written, (row) => row.messageFeedId)
  await advanceMessageFeeds(
    tx,
    [...byFeed].map(([id, rows]) => ({ id, messages: rows.length, lastMessageTimestamp: at })),
  )
  for (const [id, rows] of byFeed) {
    const facts = situation.feeds.get(id)
    if (facts) feeds.set(id, advancedFeed(facts, rows, at))
  }
  const parentIds = written.flatMap((row) => row.parentId ?? [])
  if (parentIds.length > 0) await countReplies(tx, parentIds, 1)
  const mentions = written.flatMap(({ channelId, segment, mentionedUserIds }) =>
    mentionedUserIds.map((userId) => ({ channelId, userId, segment })),
  )
  if (mentions.length > 0) await markMentioned(tx, mentions)
  await emit(
    tx,
    messageCreated,
    ...written.map(({ id, channelId, channelType, messageFeedId, creatorId }) => ({
      actorId: creatorId,
      subject: { id, channelId, channelType, messageFeedId },
    })),
  )
  return feeds
}

// The answers show the feed as it is after the batch, without reading it again.
function advancedFeed(facts: MessageFeedFacts, rows: MessageRow[], at: Date): MessageFeedRow {
  const last = rows.at(-1)!
  return {
    id: facts.id,
    channelId: facts.channelId,
    channelPublicId: last.channelPublicId,
    channelType: last.channelType,
    name: facts.name,
    creatorId: facts.creatorId,
    creatorPublicId: facts.creatorPublicId,
    childCount: facts.childCount + rows.length,
    lastMessageTimestamp: at,
    isDeleted: facts.isDeleted,
    deletedAt: facts.deletedAt,
    editedAt: facts.editedAt,
    createdAt: facts.createdAt,
    updatedAt: facts.updatedAt,
    lastId: last.id,
    lastMessageId: last.publicId,
    previewId: facts.showsPreview ? last.id : null,
    messagePreviewId: facts.showsPreview ? last.publicId : null,
  }
}

function groupBy<Row>(rows: Row[], keyOf: (row: Row) => string): Map<string, Row[]> {
  const groups = new Map<string, Row[]>()
  for (const row of rows) {
    const key = keyOf(row)
    const group = groups.get(key)
    if (group) group.push(row)
    else groups.set(key, [row])
  }
  return groups
}
