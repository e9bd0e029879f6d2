import { Type, type Static } from 'typebox'
import { PageQuery } from '../../../kernel/paging.ts'
import { OneOf, Text } from '../../../kernel/schema.ts'

export const SearchCommunitiesQuery = Type.Object({
  ...PageQuery.properties,
  query: Text(1024),
  filter: Type.Optional(OneOf(['all', 'member', 'notMember'], { default: 'all' })),
  tags: Type.Optional(Type.Array(Text(1000, 1), { maxItems: 10 })),
  categoryIds: Type.Optional(Type.Array(Text(50, 1), { maxItems: 100 })),
  includeDiscoverablePrivateCommunity: Type.Optional(Type.Boolean({ default: true })),
})
export type SearchCommunitiesQuery = Static<typeof SearchCommunitiesQuery>
