import type { Slice } from '../../kernel/slice.ts'
import type { Attachments } from './actions.ts'
import { channelEvents } from './events.ts'
import { findChannelIdsOf } from './member-store.ts'
import { channelSlots } from './resource.ts'
import { channelRoutes } from './routes.ts'
import { channelTopics } from './topics.ts'

export { createChannelFor, type Attachments, type NewChannel } from './actions.ts'
export { addChannelMembers, removeChannelMembers } from './member-actions.ts'
export { findMembers, markMentioned, type ChannelMemberRow } from './member-store.ts'
export { canReadMessages, canSeeChannel, canWriteMessages, isMember, may } from './policy.ts'
export { findChannel, findChannelId, findChannelMembership, findChannels, lockChannelFor, requireVisibleChannel } from './queries.ts'
export { advanceChannels, lockChannels, type ChannelFacts } from './store.ts'
export { channelTypes, type ChannelType } from './schema.ts'

/** Channels and who is in them. `attachments` know what a live chat may belong to. */
export function channelsSlice(attachments: Attachments = {}): Slice {
  return {
    name: 'channels',
    slots: channelSlots,
    events: channelEvents,
    topics: channelTopics,
    groups: (db, viewer) => findChannelIdsOf(db, viewer.id),
    routes: (routes) => channelRoutes(routes, attachments),
  }
}
