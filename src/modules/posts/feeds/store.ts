import { sql } from 'kysely'
import type { Db } from '../../../kernel/database.ts'
import type { Cursor } from '../../../kernel/paging.ts'
import { hiddenAuthors, laneKeys, readingOrder, sourceKeys, walk, type FeedScan } from './lane-store.ts'

/** A line of a feed, with what it is sorted by. */
export interface FeedLine {
  id: string
  at: Date
}

/**
 * A page of a feed, `limit + 1` lines in reading order. Only the lanes with the newest first posts can have a post on
 * the page, so it reads the first post of every lane, then of the best lanes as many as the page holds: the cost follows
 * the number of lanes, never the number of posts in them.
 */
export async function findFeedLines(db: Db, scan: FeedScan, cursor: Cursor): Promise<FeedLine[]> {
  const order = readingOrder(scan, cursor)
  const fetched = cursor.limit + 1
  // A post may be on two lanes, so that a lane more may be needed for each lane that overlaps others.
  const heading = fetched + scan.lanes.length + (scan.sources.keys?.length ?? 0)
  const heads = scan.lanes.map(
    (lane, i) => sql`select ${sql.lit(i)} as lane, keys.key, keys.type, head.at, head.id
      from (${laneKeys(lane)}) keys cross join lateral (${walk(scan, lane, cursor, sql.lit(1))}) head`,
  )
  const bodies = scan.lanes.map(
    (lane, i) => sql`select line.at, line.id
      from heads keys cross join lateral (${walk(scan, lane, cursor, sql`${fetched}`)}) line
      where keys.lane = ${sql.lit(i)}`,
  )
  const { rows } = await sql<FeedLine>`
    with source as materialized (${sourceKeys(scan)}),
    hidden as materialized (${hiddenAuthors(scan.filter)}),
    heads as materialized (
      select * from (${sql.join(heads, sql` union all `)}) head order by ${order} limit ${heading}
    )
    select distinct at, id from (${sql.join(bodies, sql` union all `)}) line order by ${order} limit ${fetched}
  `.execute(db)
  return rows
}

/** How many posts of a feed were deleted. */
export async function countDeletedPosts(db: Db, feedId: string): Promise<number> {
  const { posts } = await db
    .selectFrom('posts')
    .select((e) => e.fn.countAll<number>().as('posts'))
    .where('feedId', '=', feedId)
    .where('parentPostId', 'is', null)
    .where('isDeleted', '=', true)
    .executeTakeFirstOrThrow()
  return posts
}
