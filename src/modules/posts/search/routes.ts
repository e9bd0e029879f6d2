import type { Routes } from '../../../kernel/http/routes.ts'
import { postShape } from '../resource.ts'
import { searchPostWords } from './queries.ts'
import { SearchExtra, SearchWordsQuery } from './schema.ts'

export function postSearchRoutes({ read }: Routes): void {
  read(
    'GET',
    '/api/v1/semantic-search/posts',
    {
      summary: 'Search posts by their words, best first',
      tag: 'Semantic search',
      query: SearchWordsQuery,
      answers: postShape,
      extra: SearchExtra,
      paged: true,
    },
    async (db, { viewer, query }) => {
      const { rows, paging } = await searchPostWords(db, viewer, query)
      const hits = rows.map(({ id, score }) => ({ postId: id, score: score / 1e6 }))
      return {
        roots: { posts: rows.map(({ id }) => id) },
        paging,
        extra: { searchResult: hits, searchResults: hits },
      }
    },
  )
}
