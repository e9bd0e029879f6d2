import { Type, type Static } from 'typebox'
import { OneOf, Text } from '../../../kernel/schema.ts'
import { targetTypes } from '../schema.ts'

/** Page size and token, flat or in `options`; a token is at most as long as the operation documents. */
function pageOf(maxToken: number) {
  const page = {
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
    token: Type.Optional(Text(maxToken, 1)),
  }
  return { ...page, options: Type.Optional(Type.Object(page)) }
}

const feedDataTypes = ['video', 'image', 'file', 'liveStream', 'clip'] as const
const DataTypes = Type.Optional(Type.Array(OneOf(feedDataTypes), { minItems: 1, maxItems: 5 }))
const SortBy = Type.Optional(
  OneOf(['lastCreated', 'firstCreated', 'lastUpdated', 'firstUpdated'], { default: 'lastCreated' }),
)

export const GlobalFeedQuery = Type.Object({
  ...pageOf(100),
  dataTypes: DataTypes,
  /** Answer the posts that hold what the data types name, instead of what they hold. */
  resolveParent: Type.Optional(Type.Boolean({ default: false })),
  showOnlyMyFeed: Type.Optional(Type.Boolean()),
})
export type GlobalFeedQuery = Static<typeof GlobalFeedQuery>

export const RankedFeedQuery = Type.Object(pageOf(1000))
export type RankedFeedQuery = Static<typeof RankedFeedQuery>

export const FollowingFeedQuery = Type.Object({
  ...pageOf(100),
  sortBy: Type.Optional(OneOf(['lastCreated', 'customRanking'], { default: 'customRanking' })),
})

const listed = {
  ...pageOf(1000),
  sortBy: SortBy,
  hasFlag: Type.Optional(Type.Boolean()),
  isDeleted: Type.Optional(Type.Boolean()),
  dataTypes: Type.Optional(Type.Array(Text(100, 1), { minItems: 1, maxItems: 10 })),
  /** Whether the data types are those of posts as a whole, or also those of what is attached to them. */
  matchingOnlyParentPost: Type.Optional(Type.Boolean({ default: true })),
  /** Whether posts with attachments of several types count where one of these types is asked for. */
  includeMixedStructure: Type.Optional(Type.Boolean({ default: false })),
}

export const PostsQuery = Type.Object({
  ...listed,
  targetId: Type.Optional(Text(900, 1)),
  targetType: Type.Optional(OneOf([...targetTypes, 'all'])),
  feedType: Type.Optional(
    Type.Array(OneOf(['published', 'reviewing', 'declined']), { minItems: 1, maxItems: 4 }),
  ),
  dataType: Type.Optional(Text(900, 1)),
  tags: Type.Optional(Type.Array(Text(24, 1), { maxItems: 5 })),
})
export type PostsQuery = Static<typeof PostsQuery>

export const UserFeedQuery = Type.Object({
  ...listed,
  includePostedFeed: Type.Optional(Type.Array(OneOf(['user', 'community']), { minItems: 1, maxItems: 2 })),
})
export type UserFeedQuery = Static<typeof UserFeedQuery>

export const FeedQuery = Type.Object(listed)
export type FeedQuery = Static<typeof FeedQuery>

export const CountQuery = Type.Object({ isDeleted: Type.Optional(Type.Boolean()) })

export const SearchPostsQuery = Type.Object({
  ...pageOf(1000),
  hashtags: Type.Optional(Type.Array(Text(100, 1), { maxItems: 30 })),
  dataTypes: listed.dataTypes,
  targetType: Type.Optional(OneOf([...targetTypes, 'all'], { default: 'all' })),
  matchingOnlyParentPost: listed.matchingOnlyParentPost,
  includeMixedStructure: listed.includeMixedStructure,
  sortBy: Type.Optional(OneOf(['lastCreated', 'firstCreated'], { default: 'lastCreated' })),
})
export type SearchPostsQuery = Static<typeof SearchPostsQuery>
