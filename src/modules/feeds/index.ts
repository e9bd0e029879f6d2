import type { Slice } from '../../kernel/slice.ts'
import { feedSlots } from './resource.ts'

export { adjustFeedCount, ensureFeeds } from './actions.ts'
export { type FeedTargetType, type FeedType } from './schema.ts'
export { findFeeds, findFeedsById, type FeedIds, type FeedRow } from './store.ts'

export const feeds: Slice = { name: 'feeds', slots: feedSlots }
