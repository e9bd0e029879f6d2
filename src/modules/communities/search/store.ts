import { sql } from 'kysely'
import type { Db } from '../../../kernel/database.ts'

/** A community that was found. The score is in millionths. */
export interface CommunityHit {
  id: string
  score: number
}

export interface CommunitySearch {
  query: string
  viewerId: string
  /** Whether the viewer sees every community there is. */
  isStaff: boolean
  includeDiscoverable: boolean
  membership: 'all' | 'member' | 'notMember'
  /** Any of them; none for no filter. */
  tags: string[]
  categoryIds: string[]
}

interface HitPosition {
  after: CommunityHit | null
  lines: number
  direction: 'after' | 'before'
}

// Of the largest communities with some of the words so many are ranked.
const rankedAtMost = 1000

/** Communities that hold the words looked for, best first (docs/decisions/search.md). */
export async function findCommunityHits(
  db: Db,
  search: CommunitySearch,
  { after, lines, direction }: HitPosition,
): Promise<CommunityHit[]> {
  const { query, viewerId } = search
  const forward = direction === 'after'
  const position = after
    ? sql`(score, id) ${sql.raw(forward ? '<' : '>')} (${after.score}::bigint, ${after.id}::text)`
    : sql`true`
  const words = sql`community_words(community.display_name, community.description)`
  const largest = (operator: string) => sql`(
    select community.id, ${words} as words from communities community
    left join community_members own on own.community_id = community.id and own.user_id = ${viewerId}
      and own.membership = 'member'
    where ${words} @@ search_query(${query}, ${operator}) and ${sql.join(conditions(search), sql` and `)}
    order by community.members_count desc limit ${sql.lit(rankedAtMost)})`
  const { rows } = await sql<CommunityHit>`
    with matched as (
      select distinct on (id) id, words from (${largest('&')} union all ${largest('|')}) found
    ),
    ranked as (
      select id,
        round(1e6 * search_score(words, search_query(${query}, '&'), search_query(${query}, '|')))::bigint as score
      from matched
    )
    select id, score from ranked where ${position}
    order by ${forward ? sql`score desc, id desc` : sql`score, id`} limit ${lines}
  `.execute(db)
  return rows.map(({ id, score }) => ({ id, score: Number(score) }))
}

function conditions({ isStaff, includeDiscoverable, membership, tags, categoryIds }: CommunitySearch) {
  const all = [sql`not community.is_deleted`]
  if (!isStaff) {
    const discoverable = includeDiscoverable ? sql`or community.is_discoverable` : sql``
    all.push(sql`(community.is_public or own.user_id is not null ${discoverable})`)
  }
  if (membership === 'member') all.push(sql`own.user_id is not null`)
  if (membership === 'notMember') all.push(sql`own.user_id is null`)
  if (tags.length > 0) all.push(sql`community.tags && ${tags}::text[]`)
  if (categoryIds.length > 0) all.push(sql`community.category_ids && ${categoryIds}::text[]`)
  return all
}
