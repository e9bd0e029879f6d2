import type { Slice } from '../../kernel/slice.ts'
import { communityEvents } from './events.ts'
import { joinRequestSlots } from './join-requests/resource.ts'
import { joinRequestRoutes } from './join-requests/routes.ts'
import { memberRoutes } from './members/routes.ts'
import { canReadCommunity } from './policy.ts'
import { findMembership } from './members/store.ts'
import { communitySlots } from './resource.ts'
import { communityRoutes } from './routes.ts'
import { communitySearchRoutes } from './search/routes.ts'
import { findCommunity } from './store.ts'

export { findReadableCommunities, requireMember, requireReadableCommunity } from './access.ts'
export {
  adjustFlaggedCommentsCount,
  adjustFlaggedPostsCount,
  adjustPostsCount,
  touchMembership,
} from './counts.ts'
export { Community } from './schema.ts'
export { createCommunity } from './actions.ts'
export { deleteEventCommunity, joinEventCommunity } from './event-community.ts'
export { communityInvitationTarget } from './members/invitation-target.ts'
export { memberDeparture } from './members/departure.ts'
export { membershipId } from './members/id.ts'
export { findMembership, findMembershipsOf } from './members/store.ts'
export { canReadCommunity, isMember } from './policy.ts'

export const communities: Slice = {
  name: 'communities',
  slots: { ...communitySlots, ...joinRequestSlots },
  events: communityEvents,
  topics: [
    {
      pattern: 'social/community/:communityId',
      async allow(db, viewer, { communityId = '' }) {
        const community = await findCommunity(db, communityId)
        if (!community) return false
        return canReadCommunity(viewer, community, await findMembership(db, communityId, viewer.id))
      },
    },
  ],
  routes(routes) {
    communityRoutes(routes)
    memberRoutes(routes)
    joinRequestRoutes(routes)
    communitySearchRoutes(routes)
  },
}
