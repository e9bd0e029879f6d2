import type { Db } from '../../../kernel/database.ts'
import { fail } from '../../../kernel/errors.ts'
import { cutPage, parsePage, type Cursor, type Page } from '../../../kernel/paging.ts'
import type { Viewer } from '../../../kernel/viewer.ts'
import { isCommunityStaff } from '../policy.ts'
import type { SearchCommunitiesQuery } from './schema.ts'
import { findCommunityHits, type CommunityHit } from './store.ts'

/** A page of the communities the viewer may know of, by the words in their names and descriptions. */
export async function searchCommunityWords(
  db: Db,
  viewer: Viewer,
  query: SearchCommunitiesQuery,
): Promise<Page<CommunityHit>> {
  const cursor = parsePage(query)
  const hits = await findCommunityHits(
    db,
    {
      query: query.query,
      viewerId: viewer.id,
      isStaff: isCommunityStaff(viewer),
      includeDiscoverable: query.includeDiscoverablePrivateCommunity ?? true,
      membership: query.filter ?? 'all',
      tags: query.tags ?? [],
      categoryIds: query.categoryIds ?? [],
    },
    { after: readKey(cursor), lines: cursor.limit + 1, direction: cursor.direction },
  )
  return cutPage(hits, cursor, (hit) => [hit.score, hit.id])
}

function readKey({ key }: Cursor): CommunityHit | null {
  if (key.length === 0) return null
  const [score, id] = key
  if (key.length !== 2 || !Number.isSafeInteger(score) || typeof id !== 'string') return fail('badPageToken')
  return { score: score as number, id }
}
