import { iso } from '../../kernel/schema.ts'
import type { Feed } from './schema.ts'
import type { ShownFeedRow } from './store.ts'

export function presentFeed(row: ShownFeedRow): Feed {
  return {
    feedId: row.id,
    feedType: row.feedType as Feed['feedType'],
    targetId: row.targetPublicId,
    targetType: row.targetType as Feed['targetType'],
    postCount: row.postCount,
    createdAt: iso(row.createdAt),
    updatedAt: iso(row.updatedAt),
  }
}
