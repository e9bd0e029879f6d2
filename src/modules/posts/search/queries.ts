import type { Db } from '../../../kernel/database.ts'
import { fail } from '../../../kernel/errors.ts'
import { cutPage, parsePage, type Cursor, type Page } from '../../../kernel/paging.ts'
import type { Viewer } from '../../../kernel/viewer.ts'
import { readSettings } from '../../network-settings/index.ts'
import { requireReadablePlace } from '../feeds/places.ts'
import { readableBy } from '../feeds/queries.ts'
import type { SearchWordsQuery } from './schema.ts'
import { findPostHits, type SearchHit } from './store.ts'

/** A page of posts by the words in them, in one place or anywhere the viewer may read. */
export async function searchPostWords(
  db: Db,
  viewer: Viewer,
  query: SearchWordsQuery,
): Promise<Page<SearchHit>> {
  const cursor = parsePage(query)
  const { targetId, targetType = targetId === undefined ? undefined : 'community' } = query
  const place = targetId === undefined ? null : await requireReadablePlace(db, viewer, targetType!, targetId)
  const { semanticSearch } = await readSettings(db, 'semantic-search')
  const hits = await findPostHits(
    db,
    {
      query: query.query,
      filter: {
        viewerId: viewer.id,
        ...(query.tags && { tags: query.tags }),
        ...(!place && { readable: await readableBy(db, viewer) }),
      },
      targetType,
      targetId: place?.targetId,
      dataTypes: query.dataTypes?.length ? query.dataTypes : undefined,
      matchingOnlyParentPost: query.matchingOnlyParentPost ?? true,
      minScore: Math.round(semanticSearch.post.minScore * 1e6),
    },
    { after: readKey(cursor), lines: cursor.limit + 1, direction: cursor.direction },
  )
  return cutPage(hits, cursor, (hit) => [hit.score, hit.id])
}

function readKey({ key }: Cursor): SearchHit | null {
  if (key.length === 0) return null
  const [score, id] = key
  if (key.length !== 2 || !Number.isSafeInteger(score) || typeof id !== 'string') return fail('badPageToken')
  return { score: score as number, id }
}
