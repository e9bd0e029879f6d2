import type { Db, Tx } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import { can, type Permission } from '../../kernel/permissions.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import { findMembership, findMembershipsOf, type MembershipRow } from './members/store.ts'
import { canReadCommunity, canSeeCommunity, isMember } from './policy.ts'
import { readJoinSettings } from './settings.ts'
import { findCommunitiesById, findCommunity, lockCommunity, type CommunityRow } from './store.ts'

/** A community and what the viewer is to it. */
export interface CommunityAccess {
  community: CommunityRow
  membership: MembershipRow | null
}

async function access(db: Db, viewer: Viewer, community: CommunityRow | undefined): Promise<CommunityAccess> {
  if (!community) return fail('notFound')
  const membership = (await findMembership(db, community.id, viewer.id)) ?? null
  if (!canSeeCommunity(viewer, community, membership)) fail('notFound')
  return { community, membership }
}

/** A community the viewer may know of, deleted or not. Fails with `notFound`. */
export async function requireVisibleCommunity(db: Db, viewer: Viewer, id: string): Promise<CommunityAccess> {
  return access(db, viewer, await findCommunity(db, id))
}

/**
 * A living community whose inside the viewer may read. Fails with `notFound` when it is deleted or hidden, with
 * `notAMember` when it is discoverable but closed to outsiders.
 */
export async function requireReadableCommunity(db: Db, viewer: Viewer, id: string): Promise<CommunityAccess> {
  const found = await requireVisibleCommunity(db, viewer, id)
  if (found.community.isDeleted) fail('notFound')
  if (!canReadCommunity(viewer, found.community, found.membership)) fail('notAMember')
  return found
}

/** Which of these are living communities whose inside the viewer may read, and what the viewer is to them. */
export async function findReadableCommunities(
  db: Db,
  viewer: Viewer,
  ids: string[],
): Promise<Map<string, MembershipRow | null>> {
  if (ids.length === 0) return new Map()
  const [communities, memberships] = await Promise.all([
    findCommunitiesById(db, ids),
    findMembershipsOf(db, viewer.id, ids),
  ])
  const own = new Map(memberships.map((membership) => [membership.communityId, membership]))
  const readable = communities.filter(
    (community) => !community.isDeleted && canReadCommunity(viewer, community, own.get(community.id)),
  )
  return new Map(readable.map(({ id }) => [id, own.get(id) ?? null]))
}

/** A living community of which the viewer is a member. Fails with `notFound`, `banned` or `notAMember`. */
export async function requireMember(
  db: Db,
  viewer: Viewer,
  id: string,
): Promise<CommunityAccess & { membership: MembershipRow }> {
  const { community, membership } = await requireVisibleCommunity(db, viewer, id)
  if (community.isDeleted) fail('notFound')
  if (membership?.membership === 'banned') fail('banned')
  if (!membership || !isMember(membership)) return fail('notAMember')
  return { community, membership }
}

/** A living community, locked until `tx` ends. Every change of a community, its members or its counts starts here. */
export async function lockVisibleCommunity(tx: Tx, viewer: Viewer, id: string): Promise<CommunityAccess> {
  const found = await access(tx, viewer, await lockCommunity(tx, id))
  return found.community.isDeleted ? fail('notFound') : found
}

/** As `lockVisibleCommunity`, for those who have a permission in it. Fails with `permissionDenied`. */
export async function lockManagedCommunity(
  tx: Tx,
  viewer: Viewer,
  id: string,
  permission: Permission,
): Promise<CommunityAccess> {
  const found = await lockVisibleCommunity(tx, viewer, id)
  if (!can(permission, viewer, found.membership)) fail('permissionDenied', permission)
  return found
}

/** As `lockVisibleCommunity`, for those who want in: the network may let whoever knows a hidden community's id join it. */
export async function lockJoinableCommunity(tx: Tx, viewer: Viewer, id: string): Promise<CommunityAccess> {
  const community = await lockCommunity(tx, id)
  if (!community || community.isDeleted) return fail('notFound')
  const membership = (await findMembership(tx, id, viewer.id)) ?? null
  const known =
    canSeeCommunity(viewer, community, membership) || (await readJoinSettings(tx)).allowJoinPrivateCommunity
  return known ? { community, membership } : fail('notFound')
}
