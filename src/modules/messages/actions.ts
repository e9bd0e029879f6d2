import { now } from '../../platform/clock.ts'
import type { Tx } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import { emit } from '../../kernel/outbox/emit.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import { lockChannelFor, lockChannels, markMentioned, type ChannelFacts } from '../channels/index.ts'
import { messageFeedRecounted, uncountMessages } from '../message-feeds/index.ts'
import { requireAllowedText, textsIn } from '../moderation/index.ts'
import { readSettings } from '../network-settings/index.ts'
import { requireContent } from './content.ts'
import { messageDeleted, messageUpdated, type MessageSubject } from './events.ts'
import { findMentioned } from './mentions.ts'
import { canDeleteMessage, canEditMessage } from './policy.ts'
import { requireReadableMessage } from './queries.ts'
import type { Mentions } from './schema.ts'
import {
  countReplies,
  deleteMessageRows,
  eraseMessageRow,
  findMessagesById,
  lockMessage,
  updateMessageRow,
  type DeletedMessage,
  type MessageRow,
} from './store.ts'

export interface MessageChanges {
  data?: Record<string, unknown> | undefined
  metadata?: Record<string, unknown> | undefined
  tags?: string[] | undefined
  mentions?: Mentions | undefined
}

/** Changes what a message says. Only words can be changed, not what was sent along. Answers the internal id. */
export async function editMessage(
  tx: Tx,
  viewer: Viewer,
  id: string,
  changes: MessageChanges,
): Promise<string> {
  if (changes.data) await requireAllowedText(tx, viewer, { texts: textsIn(changes.data), isEdit: true })
  const { message, member } = await lockForChange(tx, viewer, id)
  if (message.isDeleted) fail('notFound', 'message')
  if (!canEditMessage(viewer, message.creatorId, member)) fail('permissionDenied')
  if (member?.isMuted) fail('userMuted')
  const { data, metadata, tags, mentions } = changes
  if (data && message.dataType !== 'text' && message.dataType !== 'custom')
    fail('badRequest', `the data of a message of type ${message.dataType} cannot be changed`)
  requireContent(message.dataType, data ?? {}, metadata ?? {})
  const mentioned = mentions && (await findMentioned(tx, mentions))
  const at = now()
  await updateMessageRow(tx, message.id, {
    ...(data && { data: JSON.stringify(data) }),
    ...(metadata && { metadata: JSON.stringify(metadata) }),
    ...(tags && { tags }),
    ...(mentioned && { mentionedUserIds: mentioned.userIds, mentionsChannel: mentioned.mentionsChannel }),
    editedAt: at,
    updatedAt: at,
  })
  if (mentioned && mentioned.userIds.length > 0)
    await markMentioned(
      tx,
      mentioned.userIds.map((userId) => ({ channelId: message.channelId, userId, segment: message.segment })),
    )
  await emit(tx, messageUpdated, { actorId: viewer.id, subject: subjectOf(message) })
  return message.id
}

/**
 * Deletes a message: it keeps its place and its replies, and no longer shows what it said. `permanent` also takes that
 * out of the database. Deleting again changes nothing. Answers the internal id.
 */
export async function deleteMessage(
  tx: Tx,
  viewer: Viewer,
  id: string,
  { permanent = false } = {},
): Promise<string> {
  const { message, channel, member } = await lockForChange(tx, viewer, id)
  const manages =
    channel.type === 'conversation' && (await readSettings(tx, 'chat')).isAllowAdminManageConversationMessage
  if (!canDeleteMessage(viewer, message.creatorId, channel, member, manages)) fail('permissionDenied')
  await deleteLocked(tx, viewer, channel, { ids: [message.id] })
  if (permanent) await eraseMessageRow(tx, message.id)
  return message.id
}

/** Deletes all that users (internal ids) said in a channel; checks nothing. */
export async function deleteMessagesOf(
  tx: Tx,
  viewer: Viewer,
  channelId: string,
  userIds: string[],
): Promise<void> {
  const [channel] = await lockChannels(tx, [channelId])
  if (!channel || userIds.length === 0) return
  await deleteLocked(tx, viewer, channel, { channelId, creatorIds: userIds })
}

/** Deletes messages of a locked channel, and counts them out. */
export async function deleteLocked(
  tx: Tx,
  viewer: Viewer,
  channel: ChannelFacts,
  which: { ids: string[] } | { channelId: string; creatorIds: string[] },
): Promise<void> {
  const at = now()
  const deleted = await deleteMessageRows(tx, which, at)
  if (deleted.length === 0) return
  const feedIds = deleted.map((message) => message.messageFeedId)
  await uncountMessages(tx, feedIds, at)
  const parentIds = deleted.flatMap((message) => message.parentId ?? [])
  if (parentIds.length > 0) await countReplies(tx, parentIds, -1)
  for (let i = 0; i < deleted.length; i += eventsAtOnce)
    await emit(
      tx,
      messageDeleted,
      ...deleted.slice(i, i + eventsAtOnce).map((message) => ({
        actorId: viewer.id,
        subject: subjectOf({ ...message, channelType: channel.type }),
      })),
    )
  const recounted = { channelId: channel.id, channelType: channel.type }
  await emit(
    tx,
    messageFeedRecounted,
    ...[...new Set(feedIds)].map((id) => ({ actorId: viewer.id, subject: { ...recounted, id } })),
  )
}

// One statement holds so many rows.
const eventsAtOnce = 1000

/** Locks channel and message, in this order as sending does, for a viewer who may read them. */
export async function lockForChange(tx: Tx, viewer: Viewer, id: string) {
  const place = await requireReadableMessage(tx, viewer, id)
  const { channel, member } = await lockChannelFor(tx, viewer, place.channelId, 'internal')
  await lockMessage(tx, place.id)
  const [message] = await findMessagesById(tx, [place.id])
  return { message: message ?? fail('notFound', 'message'), channel, member }
}

type Placed = Pick<MessageRow, 'channelType'> & Omit<DeletedMessage, 'parentId'>

export function subjectOf({ id, channelId, channelType, messageFeedId }: Placed): MessageSubject {
  return { id, channelId, channelType, messageFeedId }
}
