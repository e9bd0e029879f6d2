import { sql, type RawBuilder } from 'kysely'
import { isBlockBetween } from '../follows/index.ts'

/** What decides whether one viewer may read something in a place. */
export interface PlaceAccess {
  /** Of the community it is in; null elsewhere. */
  isPublic: boolean | null
  isDiscoverable: boolean | null
  isCommunityDeleted: boolean | null
  membership: 'member' | 'banned' | 'none' | null
  isInvited: boolean | null
  /** What the viewer's roles in the community allow. */
  permissions: string[]
  /** The viewer and the author blocked one another, or one the other. */
  isBlocked: boolean
  /** The viewer follows the user whose page it is on. */
  isFollowing: boolean
}

/**
 * SQL that reads the access of a viewer along with rows called `placed`, which say by `target_type` and `target_id`
 * where they are: columns, and the joins they come from. `author` is their column of who made them.
 */
export function placeAccess(
  viewerId: string,
  author: string,
): { columns: RawBuilder<unknown>; joins: RawBuilder<unknown> } {
  return {
    columns: sql`community.is_public, community.is_discoverable, community.is_deleted as is_community_deleted,
      member.membership, member.is_invited,
      case when member.membership = 'member' and member.roles <> '{}'
        then role_permissions(member.roles) else '{}' end as permissions,
      ${isBlockBetween(viewerId, `placed.${author}`)} as is_blocked,
      follow.status is not null as is_following`,
    joins: sql`
      left join communities community on placed.target_type = 'community' and community.id = placed.target_id
      left join community_members member on member.community_id = community.id and member.user_id = ${viewerId}
      left join follows follow
        on placed.target_type = 'user' and follow.to_user_id = placed.target_id
        and follow.from_user_id = ${viewerId} and follow.status = 'accepted'`,
  }
}
