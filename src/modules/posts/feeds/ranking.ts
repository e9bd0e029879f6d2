import { now } from '../../../platform/clock.ts'
import type { Db } from '../../../kernel/database.ts'
import { fail } from '../../../kernel/errors.ts'
import { cutPage, parsePage, type Cursor, type Page } from '../../../kernel/paging.ts'
import type { Viewer } from '../../../kernel/viewer.ts'
import { globalSources } from './queries.ts'
import { findRankedLines, type RankedLine } from './ranking-store.ts'
import type { RankedFeedQuery } from './schema.ts'

/**
 * A page of the newest posts of each source, most engaging first (docs/decisions/ranked-feed.md). Scores are as of the
 * moment the first page was read, which the token carries, so that later pages go on in the same order.
 */
export async function queryRankedFeed(
  db: Db,
  viewer: Viewer,
  of: 'global' | 'following',
  query: RankedFeedQuery,
): Promise<Page<RankedLine>> {
  const cursor = parsePage(query)
  const sources = of === 'following' ? { following: true } : (await globalSources(db, viewer)).sources
  const { at, after } = readKey(cursor)
  const lines = await findRankedLines(db, viewer.id, sources, { at, after, ...cursor })
  return cutPage(lines, cursor, (line) => [at.getTime(), line.score, line.id])
}

function readKey({ key }: Cursor): { at: Date; after: { score: number; id: string } | null } {
  if (key.length === 0) return { at: now(), after: null }
  const [time, score, id] = key
  const fits = key.length === 3 && Number.isSafeInteger(time) && Number.isSafeInteger(score)
  if (!fits || typeof id !== 'string') return fail('badPageToken')
  return { at: new Date(time as number), after: { score: score as number, id } }
}
