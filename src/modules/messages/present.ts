import { iso } from '../../kernel/schema.ts'
import { networkId, paths } from '../../kernel/paths.ts'
import type { Message, MessagePreview, MessageV3 } from './schema.ts'
import type { MessageRow } from './store.ts'

/** What only a viewer sees of a message. */
export interface MessageState {
  myReactions: string[]
}

// Who deletes a message takes back what it said.
function contentOf(row: MessageRow) {
  if (row.isDeleted) return { data: {}, metadata: {}, fileId: null, thumbnailFileId: null }
  const { fileId, thumbnailFileId } = row
  return { data: row.data as Message['data'], metadata: row.metadata as Message['metadata'], fileId, thumbnailFileId }
}

export function presentMessage(row: MessageRow, state: MessageState | undefined): Message {
  const users = { type: 'user', userIds: row.mentionedUserIds, userPublicIds: row.mentionedUserPublicIds } as const
  return {
    messageId: row.publicId,
    publicId: row.publicId,
    networkId,
    channelId: row.channelId,
    channelPublicId: row.channelPublicId,
    channelType: row.channelType,
    messageFeedId: row.messageFeedId,
    dataType: row.dataType,
    dataTypes: [row.dataType],
    ...contentOf(row),
    creatorId: row.creatorId,
    creatorPublicId: row.creatorPublicId,
    parentId: row.parentPublicId,
    path: paths.message(row.channelId, row.messageFeedId, row.id),
    segment: row.segment,
    tags: row.tags,
    mentionedUsers: [
      ...(row.mentionedUserIds.length > 0 ? [users] : []),
      ...(row.mentionsChannel ? [{ type: 'channel' as const, userIds: [], userPublicIds: [] }] : []),
    ],
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
    ...(state && { myReactions: state.myReactions }),
  }
}

/** To its sender, and as news: with what the sender called it until it was there. */
export function presentCreatedMessage(row: MessageRow, state: MessageState | undefined): Message {
  return { ...presentMessage(row, state), ...(row.referenceId !== null && { referenceId: row.referenceId }) }
}

export function presentMessageV3(row: MessageRow, state: MessageState | undefined): MessageV3 {
  const { data, metadata, fileId } = contentOf(row)
  const users = {
    type: 'user',
    userIds: row.mentionedUserPublicIds,
    userPublicIds: row.mentionedUserPublicIds,
    userInternalIds: row.mentionedUserIds,
  }
  return {
    _id: row.id,
    path: paths.message(row.channelId, row.messageFeedId, row.id),
    messageId: row.publicId,
    channelId: row.channelPublicId,
    userId: row.creatorPublicId,
    parentId: row.parentPublicId,
    type: row.dataType,
    data,
    fileId,
    metadata,
    channelSegment: row.segment,
    tags: row.tags,
    mentionees: [
      ...(row.mentionedUserIds.length > 0 ? [users] : []),
      ...(row.mentionsChannel
        ? [{ type: 'channel', userIds: [], userPublicIds: [], userInternalIds: [] }]
        : []),
    ],
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
    ...(state && { myReactions: state.myReactions }),
  }
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
    data: contentOf(row).data,
    isDeleted: row.isDeleted,
    createdAt: iso(row.createdAt),
    updatedAt: iso(row.updatedAt),
  }
}
