import { paths } from '../../kernel/paths.ts'
import { iso } from '../../kernel/schema.ts'
import type { Story, StoryTarget } from './schema.ts'
import type { StoryRow } from './store.ts'
import type { TargetRow, TargetTimes } from './target-store.ts'

/** What only this viewer sees of a story. */
export interface StoryState {
  myReactions: string[]
  isReadable: boolean
}

function storyPath({ id, targetType, targetId }: Pick<StoryRow, 'id' | 'targetType' | 'targetId'>) {
  return paths.story(targetType, targetId, id)
}

export function presentStory(row: StoryRow, state?: StoryState): Story {
  return {
    storyId: row.id,
    path: storyPath(row),
    creatorId: row.creatorId,
    creatorPublicId: row.creatorPublicId,
    targetId: row.targetId,
    targetPublicId: row.targetPublicId,
    targetType: row.targetType as Story['targetType'],
    dataType: row.dataType as Story['dataType'],
    data: row.data as Story['data'],
    items: row.items as Story['items'],
    metadata: row.metadata as Story['metadata'],
    flagCount: row.flagCount,
    hashFlag: row.hashFlag as Story['hashFlag'],
    reactions: row.reactions as Story['reactions'],
    reactionsCount: row.reactionsCount,
    ...(state && { myReactions: state.myReactions }),
    comments: row.commentPublicIds,
    commentsCount: row.commentsCount,
    hasFlaggedComment: row.flaggedCommentsCount > 0,
    mentionedUsers: [],
    impression: row.impression,
    reach: row.reach,
    isDeleted: row.isDeleted,
    expiresAt: iso(row.expiresAt),
    createdAt: iso(row.createdAt),
    updatedAt: iso(row.updatedAt),
  }
}

/** To its creator, who knows it by their own name until the answer comes. */
export function presentNewStory(row: StoryRow, state?: StoryState): Story {
  return { ...presentStory(row, state), referenceId: row.referenceId }
}

export function presentTarget(row: TargetRow, times?: TargetTimes): StoryTarget {
  const { lastExpiresAt = null, lastSeenExpiresAt = null } = times ?? {}
  return {
    targetId: row.targetId,
    targetPublicId: row.targetPublicId,
    targetType: row.targetType,
    ...(lastExpiresAt && { lastStoryExpiresAt: iso(lastExpiresAt) }),
    ...(lastSeenExpiresAt && { lastStorySeenExpiresAt: iso(lastSeenExpiresAt) }),
    targetUpdatedAt: iso(row.updatedAt),
    ...(times && {
      hasUnseen: lastExpiresAt !== null && (lastSeenExpiresAt === null || lastExpiresAt > lastSeenExpiresAt),
    }),
  }
}
