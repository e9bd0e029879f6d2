import { byId, slot, type Resource } from '../../kernel/envelope/resource.ts'
import { shape } from '../../kernel/envelope/shape.ts'
import { now } from '../../platform/clock.ts'
import {
  presentContentMarker,
  presentFeedMarker,
  presentUserEntityMarker,
  presentUserFeedMarker,
  presentUserMarker,
} from './present.ts'
import { countReceipts, type ContentMarkerRow } from './receipts.ts'
import { ofUser } from './roots.ts'
import { ContentMarker, FeedMarker, UserEntityMarker, UserFeedMarker, UserMarker } from './schema.ts'
import {
  findFeedMarkers,
  findUserEntityMarkers,
  findUserFeedMarkers,
  findUserMarkers,
  type FeedMarkerRow,
  type UserEntityMarkerRow,
  type UserFeedMarkerRow,
  type UserMarkerRow,
} from './store.ts'

// What a marker is about is all in its id, so that the same marker is the same for whoever it is shown to: a user's
// own topic carries their markers as an answer does.

function split(id: string): [string, string] {
  const [of = '', userId = ''] = id.split(':')
  return [of, userId]
}

const none = () => ({})

const userMarkerResource: Resource<UserMarkerRow> = {
  name: 'userMarkers',
  load: async (db, ids) => byId(await findUserMarkers(db, ids, syncedUntil()), (row) => row.userId),
  references: none,
}

const userEntityMarkerResource: Resource<UserEntityMarkerRow> = {
  name: 'userEntityMarkers',
  async load(db, ids) {
    const pairs = ids.map(split).map(([channelId, userId]) => ({ channelId, userId }))
    return byId(await findUserEntityMarkers(db, pairs), (row) => ofUser(row.channelId, row.userId))
  },
  references: none,
}

const userFeedMarkerResource: Resource<UserFeedMarkerRow> = {
  name: 'userFeedMarkers',
  async load(db, ids) {
    const pairs = ids.map(split).map(([messageFeedId, userId]) => ({ messageFeedId, userId }))
    return byId(await findUserFeedMarkers(db, pairs), (row) => ofUser(row.messageFeedId, row.userId))
  },
  references: none,
}

const feedMarkerResource: Resource<FeedMarkerRow> = {
  name: 'feedMarkers',
  load: async (db, ids) => byId(await findFeedMarkers(db, ids), (row) => row.id),
  references: none,
}

const contentMarkerResource: Resource<ContentMarkerRow> = {
  name: 'contentMarkers',
  load: async (db, ids) => byId(await countReceipts(db, ids), (row) => row.id),
  references: none,
}

/** Transactions are this short: what happened before has been committed, and is seen. In ms. */
const settlesIn = 1000

/** Until when a device that reads now has seen everything. */
export function syncedUntil(): Date {
  return new Date(now().getTime() - settlesIn)
}

export const markerSlots = {
  userMarkers: slot(userMarkerResource, UserMarker, presentUserMarker),
  userEntityMarkers: slot(userEntityMarkerResource, UserEntityMarker, presentUserEntityMarker),
  userFeedMarkers: slot(userFeedMarkerResource, UserFeedMarker, presentUserFeedMarker),
  feedMarkers: slot(feedMarkerResource, FeedMarker, presentFeedMarker),
  contentMarkers: slot(contentMarkerResource, ContentMarker, presentContentMarker),
}

/** Every answer holds all kinds: clients read them without looking. */
export const markerShape = shape(
  'userMarkers',
  'userEntityMarkers',
  'userFeedMarkers',
  'feedMarkers',
  'contentMarkers',
)
