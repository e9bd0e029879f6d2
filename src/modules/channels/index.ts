import type { Slice } from '../../kernel/slice.ts'
import type { Attachments } from './actions.ts'
import { channelEvents } from './events.ts'
import { memberRoutes } from './members/routes.ts'
import { findChannelIdsOf } from './members/store.ts'
import { channelSlots } from './resource.ts'
import { channelRoutes } from './routes.ts'
import { channelTopics } from './topics.ts'

export { createChannelFor, deleteChannelFor, updateChannelFor, type Attachments } from './actions.ts'
export {
  addChannelMembers,
  banChannelMembers,
  removeChannelMembers,
  requireOwnMembers,
  unbanChannelMembers,
  type Concerned,
} from './members/actions.ts'
export { channelDeparture } from './members/departure.ts'
export { concernedAnswer } from './members/routes.ts'
export { findMemberFacts, findMembers, type ChannelMemberRow, type MemberFacts } from './members/store.ts'
export { advanceReadMarks, markMentioned } from './members/unread-store.ts'
export { applyRole, requireModerated } from './moderation.ts'
export { canSeeChannel, canWriteMessages, isExemptFromBan, isMember, may } from './policy.ts'
export {
  findChannel,
  findChannelId,
  findChannelMembership,
  findChannels,
  findChannelsByPublicId,
  findReadableChannels,
  lockChannelFor,
  readerOf,
  requireReadableChannel,
  requireVisibleChannel,
  resolveMembers,
} from './queries.ts'
export { channelWithMembersShape } from './resource.ts'
export { ChannelIdParams, channelTypes, MembersBody, type ChannelType } from './schema.ts'
export { advanceChannels, isReadableChannel, lockChannels, type ChannelFacts } from './store.ts'

/** Channels and who is in them. `attachments` know what a live chat may belong to. */
export function channelsSlice(attachments: Attachments = {}): Slice {
  return {
    name: 'channels',
    slots: channelSlots,
    events: channelEvents,
    topics: channelTopics,
    groups: (db, viewer) => findChannelIdsOf(db, viewer.id),
    routes(routes) {
      channelRoutes(routes, attachments)
      memberRoutes(routes)
    },
  }
}
