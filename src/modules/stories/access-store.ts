import { sql } from 'kysely'
import type { Db } from '../../kernel/database.ts'

/** What decides whether one viewer may see a story. */
export interface StoryAccess {
  id: string
  /** Of the community it is in; null elsewhere. */
  isPublic: boolean | null
  isDiscoverable: boolean | null
  isCommunityDeleted: boolean | null
  allowCommentInStory: boolean | null
  membership: 'member' | 'banned' | 'none' | null
  isInvited: boolean | null
  /** What the viewer's roles in the community allow. */
  permissions: string[]
  /** The viewer and the creator blocked one another, or one the other. */
  isBlocked: boolean
  /** The viewer follows the user whose page it is on. */
  isFollowing: boolean
}

/** Access of one viewer to many stories, by story id. */
export async function findStoryAccess(
  db: Db,
  viewerId: string,
  storyIds: string[],
): Promise<Map<string, StoryAccess>> {
  const { rows } = await sql<StoryAccess>`
    select story.id, community.is_public, community.is_discoverable,
      community.is_deleted as is_community_deleted, community.allow_comment_in_story,
      member.membership, member.is_invited,
      case when member.membership = 'member' and member.roles <> '{}'
        then role_permissions(member.roles) else '{}' end as permissions,
      exists (
        select from user_blocks blocked
        where (blocked.from_user_id = ${viewerId} and blocked.to_user_id = story.creator_id)
          or (blocked.from_user_id = story.creator_id and blocked.to_user_id = ${viewerId})
      ) as is_blocked,
      follow.status is not null as is_following
    from stories story
    left join communities community on story.target_type = 'community' and community.id = story.target_id
    left join community_members member
      on member.community_id = community.id and member.user_id = ${viewerId}
    left join follows follow
      on story.target_type = 'user' and follow.to_user_id = story.target_id
      and follow.from_user_id = ${viewerId} and follow.status = 'accepted'
    where story.id = any (${storyIds})
  `.execute(db)
  return new Map(rows.map((row) => [row.id, row]))
}
