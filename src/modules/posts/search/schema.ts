import { Type, type Static } from 'typebox'
import { PageQuery } from '../../../kernel/paging.ts'
import { OneOf, Text } from '../../../kernel/schema.ts'
import { targetTypes } from '../schema.ts'

export const SearchWordsQuery = Type.Object({
  ...PageQuery.properties,
  query: Text(1024),
  targetId: Type.Optional(Text(900, 1)),
  targetType: Type.Optional(OneOf(targetTypes)),
  dataTypes: Type.Optional(Type.Array(Text(100, 1), { maxItems: 10 })),
  tags: Type.Optional(Type.Array(Text(24, 1), { maxItems: 5 })),
  /** Whether the data types are those of posts as a whole, or also those of what is attached to them. */
  matchingOnlyParentPost: Type.Optional(Type.Boolean({ default: true })),
})
export type SearchWordsQuery = Static<typeof SearchWordsQuery>

const Hits = Type.Array(Type.Object({ postId: Type.String(), score: Type.Number() }))

/** The hits, best first: clients read one name, the description has the other. */
export const SearchExtra = { searchResult: Hits, searchResults: Hits }
