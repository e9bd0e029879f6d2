import { paths } from '../../kernel/paths.ts'
import { iso } from '../../kernel/schema.ts'
import type { Post, PostChild, PostVersion } from './schema.ts'
import type { PostRow } from './store.ts'
import type { PostVersionRow } from './version-store.ts'

/** What only this viewer sees of a post. */
export interface PostState {
  myReactions: string[]
  isReadable: boolean
}

export function presentPostChild(row: PostRow, state?: PostState): PostChild {
  return {
    _id: row.id,
    postId: row.id,
    path: paths.post(row.targetType, row.targetId, row.id),
    parentPostId: row.parentPostId,
    parentId: row.parentPostId,
    postedUserId: row.postedUserPublicId,
    postedUserPublicId: row.postedUserPublicId,
    postedUserInternalId: row.postedUserId,
    sharedUserId: null,
    targetId: row.targetPublicId,
    targetType: row.targetType as PostChild['targetType'],
    targetPublicId: row.targetPublicId,
    targetInternalId: row.targetId,
    feedId: row.feedId,
    feedType: row.feedType as PostChild['feedType'],
    data: row.data as PostChild['data'],
    dataType: row.dataType,
    structureType: row.structureType,
    metadata: row.metadata as PostChild['metadata'],
    sharedCount: row.sharedCount,
    flagCount: row.flagCount,
    hashFlag: row.hashFlag as PostChild['hashFlag'],
    reactions: row.reactions as PostChild['reactions'],
    reactionsCount: row.reactionsCount,
    ...(state && { myReactions: state.myReactions }),
    commentsCount: row.commentsCount,
    childrenNumber: row.children.length,
    impression: row.impression,
    reach: row.reach,
    comments: row.commentPublicIds,
    children: row.children,
    tags: row.tags,
    hashtags: row.hashtags,
    mentionees:
      row.mentionedUserIds.length === 0
        ? []
        : [
            {
              type: 'user',
              userIds: row.mentionedUserPublicIds,
              userPublicIds: row.mentionedUserPublicIds,
              userInternalIds: row.mentionedUserIds,
            },
          ],
    links: row.links as PostChild['links'],
    productTags: row.productTags as PostChild['productTags'],
    pinnedProductId: row.pinnedProductId,
    isDeleted: row.isDeleted,
    hasFlaggedComment: row.flaggedCommentsCount > 0,
    hasFlaggedChildren: row.flaggedChildrenCount > 0,
    editedAt: iso(row.editedAt),
    createdAt: iso(row.createdAt),
    updatedAt: iso(row.updatedAt),
  }
}

/** Whoever posts also publishes here: there is no posting on another's behalf. */
export function presentPost(row: PostRow, state?: PostState): Post {
  return {
    ...presentPostChild(row, state),
    publisherId: row.postedUserPublicId,
    publisherPublicId: row.postedUserPublicId,
  }
}

export function presentVersion(row: PostVersionRow): PostVersion {
  return {
    version: row.version,
    data: row.data as PostVersion['data'],
    metadata: row.metadata as PostVersion['metadata'],
    tags: row.tags,
    hashtags: row.hashtags,
    links: row.links as PostVersion['links'],
    children: row.children,
    editedBy: row.editorPublicId,
    editedAt: iso(row.editedAt),
  }
}
