import { byId, slot, type Resource } from '../../kernel/envelope/resource.ts'
import { presentFeed } from './present.ts'
import { Feed } from './schema.ts'
import { findFeedsById, type ShownFeedRow } from './store.ts'

/** Feed summaries. Who may see the target may see how many posts it has. */
const feedResource: Resource<ShownFeedRow> = {
  name: 'feeds',
  load: async (db, ids) => byId(await findFeedsById(db, ids), (row) => row.id),
  references: () => ({}),
}

export const feedSlots = { feeds: slot(feedResource, Feed, presentFeed) }
