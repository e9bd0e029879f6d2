import { byId, slot, type Resource } from '../../../kernel/envelope/resource.ts'
import { membershipId } from './id.ts'
import { presentCommunityUser } from './present.ts'
import { CommunityUser } from './schema.ts'
import { findMembershipsById, type ShownMembershipRow } from './store.ts'

/** Memberships, by `communityId:userId` (internal ids). */
const communityUserResource: Resource<ShownMembershipRow> = {
  name: 'communityUsers',
  load: async (db, ids) =>
    byId(await findMembershipsById(db, ids), (row) => membershipId(row.communityId, row.userId)),
  references: (row) => ({ users: [row.userId], roles: row.roles, communities: [row.communityId] }),
}

export const communityUserSlots = {
  communityUsers: slot(communityUserResource, CommunityUser, presentCommunityUser),
}
