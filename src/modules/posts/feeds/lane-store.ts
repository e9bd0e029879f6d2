import { sql, type RawBuilder } from 'kysely'
import { fail } from '../../../kernel/errors.ts'
import type { Cursor } from '../../../kernel/paging.ts'
import type { Lane } from './lanes.ts'
import type { Sources } from './sources.ts'

/** What is left out of a walk, whatever the lane. */
export interface PostFilter {
  viewerId: string
  tags?: string[]
  hasFlag?: boolean
  /** Absent: living ones only. `any`: deleted ones too, the viewer's own only unless `seesAll`. */
  deletion?: 'deleted' | 'any'
  /** Whether the viewer moderates where they look: nothing is hidden from them. */
  seesAll?: boolean
  /** Of what is not published only what the viewer wrote. */
  ownUnpublished?: boolean
  /** Check place by place whether the viewer may read it: for lanes that cross places. */
  readable?: { seesEveryCommunity: boolean; arePagesPrivate: boolean; seesEveryPage: boolean }
}

export interface FeedScan {
  sources: Sources
  lanes: Lane[]
  filter: PostFilter
  sort: { by: 'created' | 'updated'; order: 'asc' | 'desc' }
}

/** The keys of a feed's sources, one `key` a row. */
export function sourceKeys({ sources, filter }: FeedScan): RawBuilder<unknown> {
  const { keys = [], following, communities } = sources
  const parts = [sql`select unnest(${keys}::text[]) as key`]
  if (following) {
    parts.push(
      sql`select to_user_id from follows where from_user_id = ${filter.viewerId} and status = 'accepted'`,
    )
  }
  if (communities) {
    parts.push(sql`
      select community.id from community_members member join communities community on community.id = member.community_id
      where member.user_id = ${filter.viewerId} and member.membership = 'member' and not community.is_deleted`)
  }
  return sql.join(parts, sql` union all `)
}

/** Whose posts the viewer does not see: a block works both ways. */
export function hiddenAuthors({ viewerId, seesAll }: PostFilter): RawBuilder<unknown> {
  if (seesAll) return sql`select null::text as id where false`
  return sql`
    select to_user_id as id from user_blocks where from_user_id = ${viewerId}
    union select from_user_id from user_blocks where to_user_id = ${viewerId}`
}

/** One row for each walk of a lane. */
export function laneKeys({ by, types }: Lane): RawBuilder<unknown> {
  if (by === 'everywhere' || by === 'content') return sql`select null::text as key, null::text as type`
  if (by !== 'page' || !types) return sql`select key, null::text as type from source`
  return sql`select key, type from source cross join unnest(${types}::text[]) as asked (type)`
}

/** The posts of one walk from the cursor on, in reading order: `at`, `id` and what else is asked for of `post`. */
export function walk(
  scan: FeedScan,
  lane: Lane,
  cursor: Cursor,
  limit: RawBuilder<unknown>,
  columns: RawBuilder<unknown> = sql``,
): RawBuilder<unknown> {
  const { from, at } = tableOf(scan, lane)
  return sql`
    select ${at} as at, post.id ${columns}
    from ${from}
    where ${sql.join([onLane(lane, scan.filter), ...position(scan, cursor, at), ...leftOut(scan.filter)], sql` and `)}
    order by ${readingOrder(scan, cursor)} limit ${limit}`
}

function tableOf(
  { sort }: FeedScan,
  { by, level }: Lane,
): { from: RawBuilder<unknown>; at: RawBuilder<unknown> } {
  if (by !== 'hashtag') {
    return { from: sql`posts post`, at: sort.by === 'updated' ? sql`post.updated_at` : sql`post.created_at` }
  }
  const on = level === 'post' ? sql`post.id = tagged.post_id` : sql`post.parent_post_id = tagged.post_id`
  return { from: sql`post_hashtags tagged join posts post on ${on}`, at: sql`tagged.created_at` }
}

// The conditions of the partial indexes are spelled out as the migration has them: the planner must recognise them.
const living = sql`not post.is_deleted and post.feed_type = 'published'`
const offContent = sql`post.target_type <> 'content'`

function onLane(lane: Lane, filter: PostFilter): RawBuilder<unknown> {
  const { by, level, types, targetType } = lane
  const parts = [
    level === 'post' ? sql`post.parent_post_id is null` : sql`post.parent_post_id is not null`,
    by === 'feed' ? deletion(filter) : living,
  ]
  if (targetType !== undefined) parts.push(sql`post.target_type = ${targetType}`)
  if (by === 'page' || by === 'everywhere') parts.push(offContent)
  if (by === 'page') parts.push(sql`post.target_id = keys.key`)
  if (by === 'feed') parts.push(sql`post.feed_id = keys.key`)
  if (by === 'author') parts.push(sql`post.posted_user_id = keys.key`)
  if (by === 'content') parts.push(sql`post.target_type = 'content'`)
  if (by === 'hashtag') parts.push(sql`tagged.hashtag = keys.key`)
  if (types) parts.push(ofTypes(lane, types))
  return sql.join(parts, sql` and `)
}

function ofTypes({ by, level }: Lane, types: string[]): RawBuilder<unknown> {
  // Of a page each type has a lane of its own, because the index holds its types one after the other.
  const one = by === 'page' ? sql`keys.type` : sql`any (${types}::text[])`
  if (level === 'attached') return sql`post.data_type = ${one}`
  if (!types.includes('mixed')) return sql`post.structure_type = ${one}`
  // A mixed post counts only for the types it really holds.
  return sql`post.structure_type = ${one}
    and (post.structure_type <> 'mixed' or post.attached_types && ${types}::text[])`
}

function deletion({ deletion, seesAll, viewerId }: PostFilter): RawBuilder<unknown> {
  const own = seesAll ? sql`true` : sql`post.posted_user_id = ${viewerId}`
  if (deletion === 'deleted') return sql`post.is_deleted and not post.is_erased and ${own}`
  if (deletion === 'any') return sql`not post.is_erased and (not post.is_deleted or ${own})`
  return sql`not post.is_deleted`
}

/** Conditions on `post`, with the authors of `hiddenAuthors` as `hidden`. */
export function leftOut(filter: PostFilter): RawBuilder<unknown>[] {
  const { viewerId, tags, hasFlag, seesAll, ownUnpublished, readable } = filter
  const all = [sql`post.posted_user_id not in (select id from hidden)`]
  // As a scalar, so that no plan ever reads all users to find the banned ones.
  if (!seesAll) {
    all.push(sql`not (select author.is_global_ban from users author where author.id = post.posted_user_id)`)
  }
  if (ownUnpublished) all.push(sql`(post.feed_type = 'published' or post.posted_user_id = ${viewerId})`)
  if (tags && tags.length > 0) all.push(sql`post.tags && ${tags}::text[]`)
  // Absent or false is no filter: a flag hides nothing by itself.
  if (hasFlag) all.push(sql`post.flag_count > 0`)
  if (readable) all.push(isReadable(viewerId, readable))
  return all
}

function isReadable(viewerId: string, { seesEveryCommunity, arePagesPrivate, seesEveryPage }: Readable) {
  const community = seesEveryCommunity
    ? sql`(select not community.is_deleted from communities community where community.id = post.target_id)`
    : sql`(
        select not community.is_deleted and (community.is_public or exists (
          select from community_members member
          where member.community_id = community.id and member.user_id = ${viewerId} and member.membership = 'member'
        )) from communities community where community.id = post.target_id)`
  const page =
    !arePagesPrivate || seesEveryPage
      ? sql`true`
      : sql`(post.target_id = ${viewerId} or exists (
          select from follows where follows.from_user_id = ${viewerId} and follows.to_user_id = post.target_id
            and follows.status = 'accepted'))`
  return sql`case post.target_type when 'community' then ${community} else ${page} end`
}
type Readable = NonNullable<PostFilter['readable']>

export function readingOrder({ sort }: FeedScan, { direction }: Cursor): RawBuilder<unknown> {
  return (sort.order === 'desc') === (direction === 'after') ? sql`at desc, id desc` : sql`at, id`
}

function position(
  { sort }: FeedScan,
  { key, direction }: Cursor,
  at: RawBuilder<unknown>,
): RawBuilder<unknown>[] {
  if (key.length === 0) return []
  const [time, id] = key
  if (key.length !== 2 || !Number.isSafeInteger(time) || typeof id !== 'string') return fail('badPageToken')
  const compare = sql.raw((sort.order === 'desc') === (direction === 'after') ? '<' : '>')
  return [sql`(${at}, post.id) ${compare} (${new Date(time as number)}::timestamptz, ${id}::text)`]
}
