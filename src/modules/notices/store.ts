import { sql } from 'kysely'
import type { Db } from '../../kernel/database.ts'

/** What of a post decides who is told of it. */
export interface PostFacts {
  id: string
  parentPostId: string | null
  authorId: string
  targetType: string
  targetId: string
  isPoll: boolean
  isLiveStream: boolean
  mentionedUserIds: string[]
  createdAt: Date
  /** Of the community it is in: `silent` ones tell nobody of posts. */
  notificationMode: string | null
}

/** Published living posts. */
export async function findPostFacts(db: Db, ids: string[]): Promise<Map<string, PostFacts>> {
  if (ids.length === 0) return new Map()
  const { rows } = await sql<PostFacts>`
    select post.id, post.parent_post_id, post.posted_user_id as author_id, post.target_type, post.target_id,
      'poll' = any (post.attached_types) or post.data_type = 'poll' as is_poll,
      'liveStream' = any (post.attached_types) or post.data_type = 'liveStream' as is_live_stream, post.mentioned_user_ids,
      post.created_at, community.notification_mode
    from posts post
    left join communities community on post.target_type = 'community' and community.id = post.target_id
    where post.id = any (${ids}) and not post.is_deleted and post.feed_type = 'published'`.execute(db)
  return new Map(rows.map((row) => [row.id, row]))
}

/** What of a comment decides who is told of it. */
export interface CommentFacts {
  id: string
  commentId: string
  authorId: string
  referenceType: 'post' | 'content' | 'story'
  referenceId: string
  targetType: string
  targetId: string
  mentionedUserIds: string[]
  createdAt: Date
  /** Of the post it is on; null where there is none. */
  postAuthorId: string | null
  parent: { id: string; commentId: string; authorId: string; rootId: string } | null
}

/** Living comments. */
export async function findCommentFacts(db: Db, ids: string[]): Promise<Map<string, CommentFacts>> {
  if (ids.length === 0) return new Map()
  const { rows } = await sql<CommentFacts>`
    select comment.id, comment.comment_id, comment.user_id as author_id, comment.reference_type,
      comment.reference_id, comment.target_type, comment.target_id, comment.mentioned_user_ids, comment.created_at,
      post.posted_user_id as post_author_id,
      case when parent.id is not null then json_build_object('id', parent.id, 'commentId', parent.comment_id,
        'authorId', parent.user_id, 'rootId', root.comment_id) end as parent
    from comments comment
    left join posts post on comment.reference_type = 'post' and post.id = comment.reference_id
    left join comments parent on parent.id = comment.parent_id
    left join comments root on root.id = comment.root_id
    where comment.id = any (${ids}) and not comment.is_deleted`.execute(db)
  return new Map(rows.map((row) => [row.id, row]))
}

/** What of an event decides who is told of it. */
export interface EventFacts {
  id: string
  hostId: string
  /** Null for a person's event. */
  communityId: string | null
  discussionCommunityId: string
  /** Its community notifies nobody. */
  isSilent: boolean
}

/** Living events that were not called off. */
export async function findEventFacts(db: Db, ids: string[]): Promise<Map<string, EventFacts>> {
  if (ids.length === 0) return new Map()
  const { rows } = await sql<EventFacts>`
    select event.id, event.user_id as host_id, community.id as community_id, event.discussion_community_id,
      coalesce(community.notification_mode = 'silent', false) as is_silent
    from events event
    left join communities community on event.origin_type = 'community' and community.id = event.origin_id
    where event.id = any (${ids}) and not event.is_deleted and event.cancelled_at is null`.execute(db)
  return new Map(rows.map((row) => [row.id, row]))
}

/** Who lets people into each community, by community. */
export async function findDoorkeepers(db: Db, communityIds: string[]): Promise<Map<string, string[]>> {
  if (communityIds.length === 0) return new Map()
  const { rows } = await sql<{ communityId: string; userIds: string[] }>`
    select community_id, array_agg(user_id order by user_id) as user_ids from community_members
    where community_id = any (${communityIds}) and membership = 'member' and roles <> '{}'
      and 'ADD_COMMUNITY_USER' = any (role_permissions(roles))
    group by community_id`.execute(db)
  return new Map(rows.map((row) => [row.communityId, row.userIds]))
}
