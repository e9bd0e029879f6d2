import { iso } from '../../kernel/schema.ts'
import type { ContentMarker, FeedMarker, UserEntityMarker, UserFeedMarker, UserMarker } from './schema.ts'
import type { ContentMarkerRow } from './receipts.ts'
import type { FeedMarkerRow, UserEntityMarkerRow, UserFeedMarkerRow, UserMarkerRow } from './store.ts'

export function presentUserMarker(row: UserMarkerRow): UserMarker {
  return {
    userId: row.userId,
    unreadCount: row.unreadCount,
    isMentioned: row.isMentioned,
    lastSyncAt: iso(row.lastSyncAt),
    createdAt: iso(row.createdAt),
    updatedAt: iso(row.updatedAt),
  }
}

function membershipOf({ isDeleted, membership, isMuted }: UserEntityMarkerRow) {
  if (isDeleted) return 'deleted'
  if (membership === 'none') return 'non-member'
  return membership === 'member' && isMuted ? 'muted' : membership
}

export function presentUserEntityMarker(row: UserEntityMarkerRow): UserEntityMarker {
  return {
    userId: row.userId,
    entityId: row.channelId,
    unreadCount: row.unreadCount,
    isMentioned: row.isMentioned,
    isDeleted: row.isDeleted,
    membership: membershipOf(row),
    createdAt: iso(row.createdAt),
    updatedAt: iso(row.updatedAt),
  }
}

/**
 * Some clients take `unreadCount`, others subtract `readToSegment` from the feed's `lastSegment`. Both must find the
 * same, though own and deleted messages lie between: so the mark is shown past as many messages as do not count.
 */
export function presentUserFeedMarker(row: UserFeedMarkerRow): UserFeedMarker {
  const isMentioned = row.mentionSegment > 0
  const readToSegment = Math.max(row.readToSegment, row.lastSegment - row.unreadCount)
  return {
    userId: row.userId,
    entityId: row.channelId,
    feedId: row.messageFeedId,
    readToSegment,
    deliveredToSegment: Math.max(readToSegment, row.deliveredToSegment),
    unreadCount: row.unreadCount,
    oldUnreadCount: row.unreadCount,
    // The clients compare it with `readToSegment`.
    lastMentionSegment: isMentioned ? Math.max(row.mentionSegment, readToSegment + 1) : 0,
    isMentioned,
    createdAt: iso(row.createdAt),
    updatedAt: iso(row.updatedAt),
  }
}

export function presentFeedMarker(row: FeedMarkerRow): FeedMarker {
  return {
    feedId: row.id,
    entityId: row.channelId,
    lastSegment: row.lastSegment,
    isDeleted: row.isDeleted,
    createdAt: iso(row.createdAt),
    updatedAt: iso(row.updatedAt),
  }
}

export function presentContentMarker(row: ContentMarkerRow): ContentMarker {
  return {
    contentId: row.publicId,
    feedId: row.messageFeedId,
    creatorId: row.creatorId,
    segment: row.segment,
    readCount: row.readCount,
    deliveredCount: row.deliveredCount,
    createdAt: iso(row.createdAt),
    updatedAt: iso(row.updatedAt),
  }
}
