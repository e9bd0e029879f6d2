import { sql } from 'kysely'
import type { Db } from '../../../kernel/database.ts'
import type { Lane } from './lanes.ts'
import { hiddenAuthors, sourceKeys, walk, type FeedScan } from './lane-store.ts'
import type { Sources } from './sources.ts'

/** A line of a ranked feed. The score is in millionths. */
export interface RankedLine {
  id: string
  score: number
}

/** Where a ranked page starts. */
export interface RankedPosition {
  /** The moment the scores are of: posts made later are not ranked. */
  at: Date
  after: { score: number; id: string } | null
  limit: number
  direction: 'after' | 'before'
}

/** How many posts are ranked: so many of one source at most, and fewer, but some, of each of very many. */
const perSource = { most: 20, least: 5 }
const inAll = 4000

const page: Lane = { by: 'page', level: 'post' }

/** `limit + 1` lines of the newest posts of some sources, most engaging first (docs/decisions/ranked-feed.md). */
export async function findRankedLines(
  db: Db,
  viewerId: string,
  sources: Sources,
  { at, after, limit, direction }: RankedPosition,
): Promise<RankedLine[]> {
  const scan: FeedScan = {
    sources,
    lanes: [page],
    filter: { viewerId },
    sort: { by: 'created', order: 'desc' },
  }
  const upTo = { limit: perSource.most, key: [at.getTime() + 1, ''], direction: 'after' as const }
  const columns = sql`, post.edited_at, post.comments_count, post.reactions_count`
  const forward = direction === 'after'
  const compare = sql.raw(forward ? '<' : '>')
  const position = after
    ? sql`(score, at, id) ${compare} (${after.score}::bigint, (select created_at from posts where id = ${after.id}), ${after.id}::text)`
    : sql`true`
  const { rows } = await sql<RankedLine>`
    with source as materialized (${sourceKeys(scan)}),
    share as materialized (
      select greatest(${perSource.least}::int, least(${perSource.most}::int, ${inAll}::int / greatest(count(*), 1))) as posts
      from source
    ),
    hidden as materialized (${hiddenAuthors(scan.filter)}),
    candidate as (
      select newest.*,
        extract(epoch from ${at}::timestamptz - newest.at) / 3600 as age,
        extract(epoch from ${at}::timestamptz - newest.edited_at) / 3600 as unchanged
      from source keys cross join lateral (${walk(scan, page, upTo, sql`(select posts from share)`, columns)}) newest
    ),
    ranked as (
      select distinct id, at, round(1e6 * (
        (2 * comments_count + reactions_count) * power(0.98::float8, age::float8)
        + case when unchanged between 0 and 24 then greatest(0, 10 - 0.4 * unchanged) else 0 end
      ))::bigint as score
      from candidate
    )
    select id, score from ranked where ${position}
    order by ${forward ? sql`score desc, at desc, id desc` : sql`score, at, id`} limit ${limit + 1}
  `.execute(db)
  return rows
}
