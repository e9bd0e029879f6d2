import type { Slice } from '../../kernel/slice.ts'
import { feedSlots } from './resource.ts'

export { adjustFeedCount, ensureFeeds } from './actions.ts'
export { type FeedType } from './schema.ts'
export { findFeeds } from './store.ts'

export const feeds: Slice = { name: 'feeds', slots: feedSlots }
