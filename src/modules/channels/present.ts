import { iso } from '../../kernel/schema.ts'
import { paths } from '../../kernel/paths.ts'
import type { ChannelMemberRow } from './members/store.ts'
import type { Unread } from './members/unread-store.ts'
import type { Channel, ChannelInWebhook, ChannelUser } from './schema.ts'
import type { ChannelRow } from './store.ts'

export function presentChannelInWebhook(row: ChannelRow): ChannelInWebhook {
  return {
    channelId: row.channelId,
    _id: row.id,
    path: paths.channel(row.id),
    type: row.type,
    displayName: row.displayName,
    avatarFileId: row.avatarFileId,
    isDistinct: row.isDistinct,
    isMuted: row.isMuted,
    isRateLimited: row.isRateLimited,
    messageAutoDeleteEnabled: row.messageAutoDeleteEnabled,
    autoDeleteMessageByFlagLimit: row.autoDeleteMessageByFlagLimit,
    metadata: row.metadata as Channel['metadata'],
    tags: row.tags,
    rateLimit: row.rateLimit,
    rateLimitWindow: row.rateLimitWindow,
    memberCount: row.memberCount,
    moderatorMemberCount: row.moderatorMemberCount,
    messageCount: row.messageCount,
    notificationMode: row.notificationMode as Channel['notificationMode'],
    muteTimeout: iso(row.muteTimeout),
    rateLimitTimeout: iso(row.rateLimitTimeout),
    lastActivity: iso(row.lastActivity),
    createdAt: iso(row.createdAt),
    updatedAt: iso(row.updatedAt),
  }
}

// Spelt out, not spread from the webhook's form: lists show many, and copies of objects this wide are slow.
export function presentChannel(row: ChannelRow): Channel {
  return {
    channelId: row.channelId,
    _id: row.id,
    path: paths.channel(row.id),
    type: row.type,
    displayName: row.displayName,
    avatarFileId: row.avatarFileId,
    isDistinct: row.isDistinct,
    isMuted: row.isMuted,
    isRateLimited: row.isRateLimited,
    messageAutoDeleteEnabled: row.messageAutoDeleteEnabled,
    autoDeleteMessageByFlagLimit: row.autoDeleteMessageByFlagLimit,
    metadata: row.metadata as Channel['metadata'],
    tags: row.tags,
    rateLimit: row.rateLimit,
    rateLimitWindow: row.rateLimitWindow,
    memberCount: row.memberCount,
    moderatorMemberCount: row.moderatorMemberCount,
    messageCount: row.messageCount,
    notificationMode: row.notificationMode as Channel['notificationMode'],
    muteTimeout: iso(row.muteTimeout),
    rateLimitTimeout: iso(row.rateLimitTimeout),
    lastActivity: iso(row.lastActivity),
    createdAt: iso(row.createdAt),
    updatedAt: iso(row.updatedAt),
    channelInternalId: row.id,
    channelPublicId: row.channelId,
    messagePreviewId: row.messagePreviewId,
    isPublic: row.isPublic,
    isClosed: row.isClosed,
    isDeleted: row.isDeleted,
    deletedAt: iso(row.deletedAt),
    attachedTo: attachedTo(row),
  }
}

function attachedTo({ postId, videoStreamId, roomId }: ChannelRow): Channel['attachedTo'] {
  return { ...(postId && { postId }), ...(videoStreamId && { videoStreamId }), ...(roomId && { roomId }) }
}

/**
 * Clients take the viewer's unread count for the channel's `messageCount` less their `readToSegment`, and a mention for
 * unread when it is above that. Messages of their own and deleted ones lie between, so the mark is shown past as many
 * as do not count. Others' marks are shown as they are.
 */
function marksOf(row: ChannelMemberRow, unread: Unread | undefined) {
  if (!unread) return { readToSegment: row.readToSegment, lastMentionedSegment: row.lastMentionedSegment }
  const readToSegment = unread.messageCount - unread.unreadCount
  const lastMentionedSegment =
    unread.mentionSegment > 0
      ? Math.max(unread.mentionSegment, readToSegment + 1)
      : Math.min(row.lastMentionedSegment, readToSegment)
  return { readToSegment, lastMentionedSegment }
}

export function presentChannelUser(row: ChannelMemberRow, unread: Unread | undefined): ChannelUser {
  return {
    userId: row.userPublicId,
    userInternalId: row.userId,
    userPublicId: row.userPublicId,
    channelId: row.channelPublicId,
    channelInternalId: row.channelId,
    channelPublicId: row.channelPublicId,
    membership: row.membership,
    isBanned: row.membership === 'banned',
    isMuted: row.isMuted,
    roles: row.roles,
    permissions: row.permissions,
    ...marksOf(row, unread),
    lastActivity: iso(row.lastActivity),
    muteTimeout: iso(row.muteTimeout),
    createdAt: iso(row.createdAt),
    updatedAt: iso(row.updatedAt),
  }
}
