import { Type } from 'typebox'
import type { Routes } from '../../../kernel/http/routes.ts'
import { communityShape } from '../resource.ts'
import { searchCommunityWords } from './queries.ts'
import { SearchCommunitiesQuery } from './schema.ts'

const Hit = Type.Object({ communityId: Type.String(), score: Type.Number() })

export function communitySearchRoutes({ read }: Routes): void {
  read(
    'GET',
    '/api/v1/semantic-search/communities',
    {
      summary: 'Search communities by their words, best first',
      tag: 'Semantic search',
      query: SearchCommunitiesQuery,
      answers: communityShape,
      extra: { searchResult: Type.Array(Hit) },
      paged: true,
    },
    async (db, { viewer, query }) => {
      const { rows, paging } = await searchCommunityWords(db, viewer, query)
      return {
        roots: { communities: rows.map(({ id }) => id) },
        paging,
        extra: { searchResult: rows.map(({ id, score }) => ({ communityId: id, score: score / 1e6 })) },
      }
    },
  )
}
