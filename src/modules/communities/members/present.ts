import { iso } from '../../../kernel/schema.ts'
import type { CommunityUser } from './schema.ts'
import type { ShownMembershipRow } from './store.ts'

/** Muting is a matter of the backing channel: in a community itself nobody is muted. */
export function presentCommunityUser(row: ShownMembershipRow): CommunityUser {
  return {
    userId: row.userPublicId,
    userPublicId: row.userPublicId,
    userInternalId: row.userId,
    channelId: row.channelId,
    communityId: row.communityId,
    communityMembership: row.membership as CommunityUser['communityMembership'],
    notMemberReason: row.notMemberReason,
    isBanned: row.membership === 'banned',
    isMuted: false,
    muteTimeout: null,
    roles: row.roles,
    permissions: row.permissions,
    lastActivity: iso(row.lastActivity),
    lastJoin: iso(row.lastJoin),
    createdAt: iso(row.createdAt),
    updatedAt: iso(row.updatedAt),
  }
}
