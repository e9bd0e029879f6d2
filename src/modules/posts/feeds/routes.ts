import type { Routes } from '../../../kernel/http/routes.ts'
import type { Page } from '../../../kernel/paging.ts'
import { Text } from '../../../kernel/schema.ts'
import { Type } from 'typebox'
import { postShape } from '../resource.ts'
import {
  countUserFeed,
  queryCommunityFeed,
  queryContentFeed,
  queryFollowingFeed,
  queryGlobalFeed,
  queryPosts,
  queryUserFeed,
  searchPosts,
} from './queries.ts'
import { queryRankedFeed } from './ranking.ts'
import {
  CountQuery,
  FeedQuery,
  FollowingFeedQuery,
  GlobalFeedQuery,
  PostsQuery,
  RankedFeedQuery,
  SearchPostsQuery,
  UserFeedQuery,
} from './schema.ts'

const tag = 'Feed'
const answers = postShape
const UserParams = Type.Object({ userId: Text(900, 1) })
const CommunityParams = Type.Object({ communityId: Text(900, 1) })

export function feedRoutes(routes: Routes): void {
  globalFeedRoutes(routes)
  pageFeedRoutes(routes)
  postQueryRoutes(routes)
}

function toAnswer({ rows, paging }: Page<{ id: string }>) {
  return { roots: { posts: rows.map((row) => row.id) }, paging }
}

function globalFeedRoutes({ read }: Routes): void {
  for (const path of ['/api/v4/me/global-feeds', '/api/v3/global-feeds']) {
    read(
      'GET',
      path,
      {
        summary: 'Query the global feed, newest first',
        tag,
        query: GlobalFeedQuery,
        answers,
        paged: true,
        wrapped: true,
      },
      async (db, { viewer, query }) => toAnswer(await queryGlobalFeed(db, viewer, query)),
    )
  }
  read(
    'GET',
    '/api/v5/me/global-feeds',
    {
      summary: 'Query the global feed, most engaging first',
      tag,
      query: RankedFeedQuery,
      answers,
      paged: true,
      wrapped: true,
    },
    async (db, { viewer, query }) => toAnswer(await queryRankedFeed(db, viewer, 'global', query)),
  )
  read(
    'GET',
    '/api/v1/me/following-feeds',
    { summary: 'Query posts of those one follows', tag, query: FollowingFeedQuery, answers, paged: true },
    async (db, { viewer, query }) =>
      toAnswer(
        query.sortBy === 'lastCreated'
          ? await queryFollowingFeed(db, viewer, query)
          : await queryRankedFeed(db, viewer, 'following', query),
      ),
  )
}

function pageFeedRoutes({ read }: Routes): void {
  for (const version of ['v3', 'v4'] as const) {
    read(
      'GET',
      `/api/${version}/user-feeds/:userId`,
      {
        summary: "Query a user's feed",
        tag,
        params: UserParams,
        query: UserFeedQuery,
        answers,
        paged: true,
        wrapped: version === 'v3',
      },
      async (db, { viewer, params, query }) =>
        toAnswer(await queryUserFeed(db, viewer, params.userId, query)),
    )
  }
  read(
    'GET',
    '/api/v3/user-feeds/:userId/count',
    {
      summary: "Count the posts of a user's feed",
      tag,
      params: UserParams,
      query: CountQuery,
      answers: { schema: Type.Object({ postsCount: Type.Integer() }) },
    },
    async (db, { viewer, params, query }) => ({
      body: { postsCount: await countUserFeed(db, viewer, params.userId, query.isDeleted ?? false) },
    }),
  )
  read(
    'GET',
    '/api/v3/community-feeds/:communityId',
    {
      summary: "Query a community's feed",
      tag,
      params: CommunityParams,
      query: FeedQuery,
      answers,
      paged: true,
      wrapped: true,
    },
    async (db, { viewer, params, query }) =>
      toAnswer(await queryCommunityFeed(db, viewer, params.communityId, query)),
  )
  read(
    'GET',
    '/api/v3/content-feeds',
    {
      summary: 'Query posts on content',
      tag,
      query: FeedQuery,
      answers,
      paged: true,
      wrapped: true,
    },
    async (db, { viewer, query }) => toAnswer(await queryContentFeed(db, viewer, query)),
  )
}

function postQueryRoutes({ read }: Routes): void {
  for (const version of ['v3', 'v4', 'v5'] as const) {
    read(
      'GET',
      `/api/${version}/posts`,
      { summary: 'Query posts', tag: 'Post', query: PostsQuery, answers, paged: true },
      async (db, { viewer, query }) => toAnswer(await queryPosts(db, viewer, query)),
    )
  }
  read(
    'GET',
    '/api/v1/search/posts',
    { summary: 'Search posts by hashtag', tag: 'Post', query: SearchPostsQuery, answers, paged: true },
    async (db, { viewer, query }) => toAnswer(await searchPosts(db, viewer, query)),
  )
}
