import { iso } from '../../kernel/schema.ts'
import { networkId, paths } from '../../kernel/paths.ts'
import type { Message, MessagePreview, MessageV3 } from './schema.ts'
import type { MessageRow } from './store.ts'

/** What only a viewer sees of a message. */
export interface MessageState {
  myReactions: string[]
}

// Objects are spelt out, not spread from each other: a message is presented to everyone who hears of it, and copies of
// objects this wide take ten times as long.

export function presentMessage(row: MessageRow, state: MessageState | undefined): Message {
  const shown = !row.isDeleted
  const message: Message = {
    messageId: row.publicId,
    publicId: row.publicId,
    networkId,
    channelId: row.channelId,
    channelPublicId: row.channelPublicId,
    channelType: row.channelType,
    messageFeedId: row.messageFeedId,
    dataType: row.dataType,
    dataTypes: [row.dataType],
    // Who deletes a message takes back what it said.
    data: shown ? (row.data as Message['data']) : {},
    metadata: shown ? (row.metadata as Message['metadata']) : {},
    fileId: shown ? row.fileId : null,
    thumbnailFileId: shown ? row.thumbnailFileId : null,
    creatorId: row.creatorId,
    creatorPublicId: row.creatorPublicId,
    parentId: row.parentPublicId,
    path: paths.message(row.channelId, row.messageFeedId, row.id),
    segment: row.segment,
    tags: row.tags,
    mentionedUsers: mentionedUsers(row),
    reactions: row.reactions as Message['reactions'],
    reactionCount: row.reactionCount,
    flagCount: row.flagCount,
    hashFlag: row.hashFlag as Message['hashFlag'],
    childCount: row.childCount,
    isDeleted: row.isDeleted,
    deletedAt: iso(row.deletedAt),
    editedAt: iso(row.editedAt),
    createdAt: iso(row.createdAt),
    updatedAt: iso(row.updatedAt),
  }
  if (state) message.myReactions = state.myReactions
  return message
}

function mentionedUsers(row: MessageRow): Message['mentionedUsers'] {
  const mentions: Message['mentionedUsers'] = []
  if (row.mentionedUserIds.length > 0)
    mentions.push({ type: 'user', userIds: row.mentionedUserIds, userPublicIds: row.mentionedUserPublicIds })
  if (row.mentionsChannel) mentions.push({ type: 'channel', userIds: [], userPublicIds: [] })
  return mentions
}

/** To its sender, and as news: with what the sender called it until it was there. */
export function presentCreatedMessage(row: MessageRow, state: MessageState | undefined): Message {
  const message = presentMessage(row, state)
  if (row.referenceId !== null) message.referenceId = row.referenceId
  return message
}

export function presentMessageV3(row: MessageRow, state: MessageState | undefined): MessageV3 {
  const shown = !row.isDeleted
  const message: MessageV3 = {
    _id: row.id,
    path: paths.message(row.channelId, row.messageFeedId, row.id),
    messageId: row.publicId,
    channelId: row.channelPublicId,
    userId: row.creatorPublicId,
    parentId: row.parentPublicId,
    type: row.dataType,
    data: shown ? (row.data as MessageV3['data']) : {},
    fileId: shown ? row.fileId : null,
    metadata: shown ? (row.metadata as MessageV3['metadata']) : {},
    channelSegment: row.segment,
    tags: row.tags,
    mentionees: mentionedUsers(row).map(({ type, userIds, userPublicIds }) => ({
      type,
      userIds: userPublicIds,
      userPublicIds,
      userInternalIds: userIds,
    })),
    reactions: row.reactions as MessageV3['reactions'],
    reactionsCount: row.reactionCount,
    latestReaction: row.latestReaction,
    flagCount: row.flagCount,
    hashFlag: row.hashFlag as MessageV3['hashFlag'],
    childrenNumber: row.childCount,
    isDeleted: row.isDeleted,
    editedAt: iso(row.editedAt),
    createdAt: iso(row.createdAt),
    updatedAt: iso(row.updatedAt),
  }
  if (state) message.myReactions = state.myReactions
  return message
}

export function presentMessagePreview(row: MessageRow): MessagePreview {
  return {
    messageId: row.publicId,
    channelId: row.channelId,
    channelPublicId: row.channelPublicId,
    messageFeedId: row.messageFeedId,
    dataType: row.dataType,
    creatorId: row.creatorId,
    creatorPublicId: row.creatorPublicId,
    parentId: row.parentPublicId,
    segment: row.segment,
    data: row.isDeleted ? {} : (row.data as MessagePreview['data']),
    isDeleted: row.isDeleted,
    createdAt: iso(row.createdAt),
    updatedAt: iso(row.updatedAt),
  }
}
