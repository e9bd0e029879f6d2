import { iso } from '../../kernel/schema.ts'
import { paths } from '../../kernel/paths.ts'
import type { MessageFeed, MessageFeedInfo } from './schema.ts'
import type { MessageFeedRow } from './store.ts'

export function presentMessageFeed(row: MessageFeedRow): MessageFeed {
  return {
    messageFeedId: row.id,
    channelId: row.channelId,
    channelPublicId: row.channelPublicId,
    channelType: row.channelType,
    name: row.name,
    creatorId: row.creatorId,
    creatorPublicId: row.creatorPublicId,
    path: paths.messageFeed(row.channelId, row.id),
    lastMessageId: row.lastMessageId,
    messagePreviewId: row.messagePreviewId,
    childCount: row.childCount,
    isDeleted: row.isDeleted,
    lastMessageTimestamp: iso(row.lastMessageTimestamp),
    editedAt: iso(row.editedAt),
    createdAt: iso(row.createdAt),
    updatedAt: iso(row.updatedAt),
  }
}

export function presentMessageFeedInfo(row: MessageFeedRow): MessageFeedInfo {
  return {
    messageFeedId: row.id,
    name: row.name,
    messagePreviewId: row.messagePreviewId,
    createdAt: iso(row.createdAt),
    updatedAt: iso(row.updatedAt),
  }
}
