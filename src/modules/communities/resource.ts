import type { Db } from '../../kernel/database.ts'
import { byId, slot, type Resource } from '../../kernel/envelope/resource.ts'
import { shape } from '../../kernel/envelope/shape.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import { membershipId } from './members/id.ts'
import { communityUserSlots } from './members/resource.ts'
import { findMembershipsOf, type MembershipRow } from './members/store.ts'
import { canSeeCommunity, outsider, type CommunityState } from './policy.ts'
import { presentCommunity } from './present.ts'
import { Community } from './schema.ts'
import { findCommunitiesById, type ShownCommunityRow } from './store.ts'

const communityResource: Resource<ShownCommunityRow, CommunityState> = {
  name: 'communities',
  load: async (db, ids) => byId(await findCommunitiesById(db, ids), (row) => row.id),
  references: (row, viewer) => ({
    files: [row.avatarFileId],
    users: [row.userId],
    categories: row.categoryIds,
    feeds: row.feedIds,
    communityUsers: viewer ? [membershipId(row.id, viewer.id)] : [],
  }),
  async viewerState({ db, viewer, rowsOf }, rows) {
    // The envelope mostly holds the viewer's memberships already, by reference.
    const memberships = rowsOf('communityUsers') as ReadonlyMap<string, MembershipRow> | undefined
    if (!memberships) return findOwnStates(db, viewer, [...rows.keys()])
    return new Map(
      [...rows.keys()].map((id) => [id, memberships.get(membershipId(id, viewer.id)) ?? outsider]),
    )
  },
  visible: (row, viewer, state) => canSeeCommunity(viewer, row, state),
}

// Clients take every membership in a members answer for a line of the list, so the viewer's own must not join it.
const communityOfMembersResource: Resource<ShownCommunityRow, CommunityState> = {
  ...communityResource,
  name: 'communitiesOfMembers',
  references: (row, viewer) => ({ ...communityResource.references(row, viewer), communityUsers: [] }),
  viewerState: ({ db, viewer }, rows) => findOwnStates(db, viewer, [...rows.keys()]),
}

async function findOwnStates(db: Db, viewer: Viewer, ids: string[]): Promise<Map<string, CommunityState>> {
  const own = byId(await findMembershipsOf(db, viewer.id, ids), (row) => row.communityId)
  return new Map(ids.map((id) => [id, own.get(id) ?? outsider]))
}

export const communitySlots = {
  communities: slot(communityResource, Community, presentCommunity),
  communitiesOfMembers: slot(communityOfMembersResource, Community, presentCommunity),
  ...communityUserSlots,
}

export const communityShape = shape(
  'communities',
  'communityUsers',
  'files',
  'users',
  'roles',
  'categories',
  'feeds',
)
export const membersShape = shape(communityShape, { communities: 'communitiesOfMembers' })
