import { sql } from 'kysely'
import type { Db } from '../../../kernel/database.ts'
import { hiddenAuthors, leftOut, type PostFilter } from '../feeds/lane-store.ts'

/** A post that was found. The score is in millionths. */
export interface SearchHit {
  id: string
  score: number
}

export interface PostSearch {
  query: string
  filter: PostFilter
  targetType?: string | undefined
  /** Internal id. */
  targetId?: string | undefined
  dataTypes?: string[] | undefined
  matchingOnlyParentPost: boolean
  /** In millionths. */
  minScore: number
}

/** Where a page of hits starts, and how many lines to read. */
export interface HitPosition {
  after: { score: number; id: string } | null
  lines: number
  direction: 'after' | 'before'
}

// How many of the newest matches are ranked: of those with all words, and of those with some. It bounds what a search
// for a very common word costs.
const rankedAtMost = 1000

/** Published posts that hold the words looked for, best first (docs/decisions/search.md). */
export async function findPostHits(
  db: Db,
  search: PostSearch,
  { after, lines, direction }: HitPosition,
): Promise<SearchHit[]> {
  const { query, filter, minScore } = search
  const forward = direction === 'after'
  const position = after
    ? sql`(score, id) ${sql.raw(forward ? '<' : '>')} (${after.score}::bigint, ${after.id}::text)`
    : sql`true`
  const where = sql.join([...conditions(search), ...leftOut(filter)], sql` and `)
  const newest = (operator: string) => sql`(
    select post.id, post.data from posts post
    where post_words(post.data) @@ search_query(${query}, ${operator}) and ${where}
    order by post.created_at desc limit ${sql.lit(rankedAtMost)})`
  const { rows } = await sql<SearchHit>`
    with hidden as materialized (${hiddenAuthors(filter)}),
    matched as (select distinct on (id) id, data from (${newest('&')} union all ${newest('|')}) found),
    ranked as (
      select id, round(1e6 * search_score(
        post_words(data), search_query(${query}, '&'), search_query(${query}, '|')))::bigint as score
      from matched
    )
    select id, score from ranked where score >= ${minScore} and ${position}
    order by ${forward ? sql`score desc, id desc` : sql`score, id`} limit ${lines}
  `.execute(db)
  return rows.map(({ id, score }) => ({ id, score: Number(score) }))
}

// The first three are the condition of the index.
function conditions({ targetType, targetId, dataTypes, matchingOnlyParentPost }: PostSearch) {
  const all = [sql`post.parent_post_id is null and not post.is_deleted and post.feed_type = 'published'`]
  if (targetType !== undefined) all.push(sql`post.target_type = ${targetType}`)
  if (targetId !== undefined) all.push(sql`post.target_id = ${targetId}`)
  if (dataTypes) {
    const attached = matchingOnlyParentPost
      ? sql``
      : sql`or post.attached_types && ${dataTypes}::text[] or post.data_type = any (${dataTypes})`
    all.push(sql`(post.structure_type = any (${dataTypes}) ${attached})`)
  }
  return all
}
