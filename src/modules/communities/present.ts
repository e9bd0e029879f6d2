import { iso } from '../../kernel/schema.ts'
import { paths } from '../../kernel/paths.ts'
import type { Community } from './schema.ts'
import type { ShownCommunityRow } from './store.ts'
import type { CommunityState } from './policy.ts'

export function presentCommunity(row: ShownCommunityRow, state: CommunityState | undefined): Community {
  return {
    communityId: row.id,
    _id: row.id,
    path: paths.community(row.id),
    channelId: row.channelId,
    userId: row.userPublicId,
    userPublicId: row.userPublicId,
    userInternalId: row.userId,
    type: row.eventId === null ? 'default' : 'event',
    eventId: row.eventId,
    displayName: row.displayName,
    description: row.description,
    avatarFileId: row.avatarFileId,
    isOfficial: row.isOfficial,
    isPublic: row.isPublic,
    isDiscoverable: row.isDiscoverable,
    requiresJoinApproval: row.requiresJoinApproval,
    onlyAdminCanPost: row.onlyAdminCanPost,
    needApprovalOnPostCreation: row.needApprovalOnPostCreation,
    allowCommentInStory: row.allowCommentInStory,
    notificationMode: row.notificationMode as Community['notificationMode'],
    ...(state && { isJoined: state.membership === 'member' }),
    tags: row.tags,
    categoryIds: row.categoryIds,
    metadata: row.metadata as Community['metadata'],
    postsCount: row.postsCount,
    membersCount: row.membersCount,
    moderatorMemberCount: row.moderatorMemberCount,
    hasFlaggedPost: row.flaggedPostsCount > 0,
    hasFlaggedComment: row.flaggedCommentsCount > 0,
    isDeleted: row.isDeleted,
    deletedAt: iso(row.deletedAt),
    createdAt: iso(row.createdAt),
    updatedAt: iso(row.updatedAt),
  }
}
