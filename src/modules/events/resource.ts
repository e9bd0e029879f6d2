import { byId, slot, type Resource } from '../../kernel/envelope/resource.ts'
import { shape } from '../../kernel/envelope/shape.ts'
import { now } from '../../platform/clock.ts'
import { membershipId } from '../communities/index.ts'
import { arePagesPrivate } from '../places/index.ts'
import { statusOf } from './policy.ts'
import { presentEvent, presentResponse, type TimedEventRow } from './present.ts'
import { findResponses, responseId, type ResponseRow } from './response-store.ts'
import { Event, EventResponse } from './schema.ts'
import { findEventsById, findVisible } from './store.ts'
import { visibilityOf } from './visibility.ts'

interface EventState {
  isVisible: boolean
}

const eventResource: Resource<TimedEventRow, EventState> = {
  name: 'events',
  async load(db, ids) {
    const at = now()
    const rows = await findEventsById(db, ids)
    const arePagesPublic = rows.some((row) => row.originType === 'user') && !(await arePagesPrivate(db))
    return byId(
      rows.map((row) => ({
        ...row,
        status: statusOf(row, at),
        isOriginPublic: row.isCommunityPublic ?? arePagesPublic,
      })),
      (row) => row.id,
    )
  },
  references(row, viewer) {
    const communities = [row.discussionCommunityId, ...(row.originType === 'community' ? [row.originId] : [])]
    return {
      users: [row.userId, ...(row.originType === 'user' ? [row.originId] : [])],
      files: [row.coverImageFileId],
      communities,
      communityUsers: viewer ? communities.map((id) => membershipId(id, viewer.id)) : [],
      posts: [row.postId],
    }
  },
  async viewerState({ db, viewer }, rows) {
    const visible = await findVisible(db, await visibilityOf(db, viewer), [...rows.keys()])
    return new Map([...rows.keys()].map((id) => [id, { isVisible: visible.has(id) }]))
  },
  visible: (_row, _viewer, state) => state?.isVisible === true,
}

/** Answers to events. Who may see one is decided before it is named: by its event. */
const responseResource: Resource<ResponseRow> = {
  name: 'eventResponses',
  load: async (db, ids) => byId(await findResponses(db, ids), responseId),
  references: (row) => ({ events: [row.eventId], users: [row.userId] }),
}

export const eventSlots = {
  events: slot(eventResource, Event, presentEvent),
  eventResponses: slot(responseResource, EventResponse, presentResponse),
}

export const eventShape = shape(
  'events',
  'users',
  'files',
  'communities',
  'communityUsers',
  'posts',
  // The room an event is held in hangs on its post.
  'postChildren',
  'rooms',
)
export const responseShape = shape('eventResponses', 'events', 'users', 'files')
/** What events of events bring: clients take communities and posts for all they know of them, also what is personal. */
export const eventNewsShape = shape('events', 'users', 'files')
