import { sql } from 'kysely'
import type { Db } from '../../src/kernel/database.ts'

/** A counter that says something else than what there is to count. */
export interface Drift {
  counter: string
  id: string
  told: string
  counted: string
}

const livingPosts = `(select * from posts where not is_deleted)`
const livingComments = `(select * from comments where not is_deleted)`

/** What a row of `table` (as `it`) tells, what there is to count, and of which rows. */
interface Count {
  table: string
  told: string
  counted: string
  of?: string
  id?: string
}

const flags = (type: string, id = 'it.id') =>
  `select count(*) from flags where reference_type = '${type}' and reference_id = ${id}`
const reactions = (type: string) =>
  `select count(*) from reactions where reference_type = '${type}' and reference_id = it.id`
const reactionMap = (type: string) => `
  select coalesce(jsonb_object_agg(name, n), '{}') from (
    select name, count(*) as n from reactions where reference_type = '${type}' and reference_id = it.id group by name
  ) named`
const commentsOn = (type: string) =>
  `select count(*) from ${livingComments} comment where reference_type = '${type}' and reference_id = it.id`
const views = (type: string) =>
  `select count(*) from content_views where content_type = '${type}' and content_id = it.id`

/** What reactions, flags, comments and views are on, in the same columns. */
const shared = (table: string, type: string): Count[] => [
  { table, told: 'it.flag_count', counted: flags(type) },
  { table, told: '(it.hash_flag is not null)', counted: `select it.flag_count > 0`, of: 'not it.is_deleted' },
  { table, told: 'it.reactions_count', counted: reactions(type) },
  { table, told: 'it.reactions::jsonb', counted: reactionMap(type) },
]
const commented = (table: string, type: string): Count[] => [
  { table, told: 'it.comments_count', counted: commentsOn(type), of: 'not it.is_deleted' },
  {
    table,
    told: 'it.flagged_comments_count',
    counted: `${commentsOn(type)} and comment.flag_count > 0`,
    of: 'not it.is_deleted',
  },
  { table, told: 'it.reach', counted: views(type), of: 'not it.is_deleted' },
  { table, told: '(it.impression >= it.reach)', counted: 'select true' },
]

const members = (table: string, key: string, role: string) =>
  `select count(*) from ${table} member where member.${key} = it.id and member.membership = 'member' ${role}`

const counts: Count[] = [
  { table: 'users', told: 'it.flag_count', counted: flags('user') },
  ...shared('posts', 'post'),
  ...commented('posts', 'post'),
  ...shared('comments', 'comment'),
  ...shared('stories', 'story'),
  ...commented('stories', 'story'),
  {
    table: 'posts',
    told: 'it.flagged_children_count',
    counted: `select count(*) from ${livingPosts} child where child.parent_post_id = it.id and child.flag_count > 0`,
    of: 'not it.is_deleted',
  },
  {
    table: 'posts',
    told: 'cardinality(it.children)',
    counted: `select count(*) from ${livingPosts} child where child.parent_post_id = it.id`,
    of: 'not it.is_deleted',
  },
  {
    table: 'comments',
    told: 'it.children_number',
    counted: `select count(*) from ${livingComments} child where child.parent_id = it.id`,
    of: 'not it.is_deleted',
  },
  {
    table: 'comment_segments',
    id: 'it.reference_id',
    told: `(it.last >= coalesce((select max(segment_number) from comments comment
      where (comment.reference_type, comment.reference_id) = (it.reference_type, it.reference_id)), 0))`,
    counted: 'select true',
  },
  {
    table: 'feeds',
    told: 'it.post_count',
    counted: `select count(*) from ${livingPosts} post where post.feed_id = it.id and post.parent_post_id is null`,
  },
  {
    table: 'communities',
    told: 'it.posts_count',
    counted: `select count(*) from ${livingPosts} post where post.target_type = 'community' and post.target_id = it.id
      and post.parent_post_id is null and post.feed_type = 'published'`,
  },
  {
    table: 'communities',
    told: 'it.flagged_posts_count',
    counted: `select count(*) from ${livingPosts} post where post.target_type = 'community' and post.target_id = it.id
      and post.flag_count > 0`,
  },
  {
    table: 'communities',
    told: 'it.flagged_comments_count',
    counted: `select count(*) from ${livingComments} comment
      where comment.target_type = 'community' and comment.target_id = it.id and comment.flag_count > 0
      and not exists (select from posts where comment.reference_type = 'post' and id = comment.reference_id and is_deleted)
      and not exists (select from stories where comment.reference_type = 'story' and id = comment.reference_id and is_deleted)`,
  },
  {
    table: 'communities',
    told: 'it.members_count',
    counted: members('community_members', 'community_id', ''),
  },
  {
    table: 'communities',
    told: 'it.moderator_member_count',
    counted: members('community_members', 'community_id', `and 'community-moderator' = any (member.roles)`),
  },
  { table: 'channels', told: 'it.member_count', counted: members('channel_members', 'channel_id', '') },
  {
    table: 'channels',
    told: 'it.moderator_member_count',
    counted: members('channel_members', 'channel_id', `and 'channel-moderator' = any (member.roles)`),
  },
  {
    // The channel behind a community has the same members.
    table: 'channels',
    told: 'it.member_count',
    counted: `select members_count from communities where communities.channel_id = it.channel_id`,
    of: `exists (select from communities where communities.channel_id = it.channel_id)`,
  },
  {
    table: 'follow_counts',
    id: 'it.user_id',
    told: 'it.follower_count',
    counted: `select count(*) from follows where to_user_id = it.user_id and status = 'accepted'`,
  },
  {
    table: 'follow_counts',
    id: 'it.user_id',
    told: 'it.following_count',
    counted: `select count(*) from follows where from_user_id = it.user_id and status = 'accepted'`,
  },
  {
    table: 'follow_counts',
    id: 'it.user_id',
    told: 'it.pending_count',
    counted: `select count(*) from follows where to_user_id = it.user_id and status = 'pending'`,
  },
  {
    // Somebody without a row has nothing to count.
    table: 'users',
    told: '0',
    counted: `select count(*) from follows where it.id in (from_user_id, to_user_id) and status <> 'none'`,
    of: 'not exists (select from follow_counts where user_id = it.id)',
  },
  {
    table: 'poll_answers',
    told: 'it.vote_count',
    counted: `select count(*) from poll_votes where poll_votes.answer_id = it.id`,
  },
  { table: 'messages', told: 'it.flag_count', counted: flags('message'), of: 'not it.is_deleted' },
  { table: 'messages', told: 'it.reaction_count', counted: reactions('message'), of: 'not it.is_deleted' },
  {
    table: 'messages',
    told: 'it.reactions::jsonb',
    counted: reactionMap('message'),
    of: 'not it.is_deleted',
  },
  {
    table: 'messages',
    told: 'it.child_count',
    counted: 'select count(*) from messages child where child.parent_id = it.id and not child.is_deleted',
  },
  {
    table: 'message_feeds',
    told: 'it.child_count',
    counted:
      'select count(*) from messages where messages.message_feed_id = it.id and not messages.is_deleted',
  },
  {
    table: 'channels',
    told: 'it.message_count',
    counted: 'select coalesce(max(segment), 0) from messages where messages.channel_id = it.id',
  },
  {
    table: 'events',
    told: 'it.rsvp_count',
    counted: `select count(*) from event_responses where event_id = it.id and status = 'going'`,
  },
  {
    table: 'posts',
    told: `(select count(*) from post_hashtags where post_id = it.id)`,
    counted: `select case when it.is_deleted or it.feed_type <> 'published' then 0 else cardinality(it.hashtags) end`,
    // Of what is attached, the hashtags of the post it is attached to count.
    of: 'it.parent_post_id is null',
  },
]

/** Every counter of the social tables that a count of the rows contradicts. */
export async function findDrift(db: Db): Promise<Drift[]> {
  const found: Drift[] = []
  for (const { table, told, counted, of = 'true', id = 'it.id' } of counts) {
    const name = `${table} ${told.replace(/\s+/g, ' ').slice(0, 60)}`
    const { rows } = await sql<Drift>`
      select ${name} as counter, id, told, counted from (
        select ${sql.raw(id)} as id, (${sql.raw(told)})::text as told, (${sql.raw(counted)})::text as counted
        from ${sql.table(table)} it where ${sql.raw(of)}
      ) compared where told is distinct from counted limit 5`.execute(db)
    found.push(...rows)
  }
  return found
}

/** How many rows the walk left of each kind, so that a walk in which nothing happened does not count as one. */
export async function countRows(db: Db): Promise<Record<string, number>> {
  const tables = [
    'posts',
    'comments',
    'reactions',
    'flags',
    'follows',
    'poll_votes',
    'community_members',
    'stories',
    'messages',
    'event_responses',
  ]
  const sizes: Record<string, number> = {}
  for (const table of tables) {
    const { rows } = await sql<{ n: string }>`select count(*) as n from ${sql.table(table)}`.execute(db)
    sizes[table] = Number(rows[0]!.n)
  }
  return sizes
}
