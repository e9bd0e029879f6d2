import { iso } from '../../kernel/schema.ts'
import { paths } from '../../kernel/paths.ts'
import type { ChannelMemberRow } from './member-store.ts'
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

export function presentChannel(row: ChannelRow): Channel {
  return {
    ...presentChannelInWebhook(row),
    channelInternalId: row.id,
    channelPublicId: row.channelId,
    avatarFileId: row.avatarFileId,
    messagePreviewId: row.messagePreviewId,
    isPublic: row.isPublic,
    isClosed: row.isClosed,
    isDeleted: row.isDeleted,
    deletedAt: iso(row.deletedAt),
    attachedTo: {
      ...(row.postId && { postId: row.postId }),
      ...(row.videoStreamId && { videoStreamId: row.videoStreamId }),
      ...(row.roomId && { roomId: row.roomId }),
    },
  }
}

export function presentChannelUser(row: ChannelMemberRow): ChannelUser {
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
    readToSegment: row.readToSegment,
    lastMentionedSegment: row.lastMentionedSegment,
    lastActivity: iso(row.lastActivity),
    muteTimeout: iso(row.muteTimeout),
    createdAt: iso(row.createdAt),
    updatedAt: iso(row.updatedAt),
  }
}
