import type { Routes } from '../../kernel/http/routes.ts'
import { requireVisibleCommunity } from './access.ts'
import { createCommunity } from './actions.ts'
import { joinCommunity, leaveCommunity } from './members/actions.ts'
import { communityShape } from './resource.ts'
import { CommunityIdParams, CommunityIdQuery, CreateCommunityBody, ListCommunitiesQuery } from './schema.ts'

const tag = 'Community'

export function communityRoutes({ read, write }: Routes): void {
  write(
    'POST',
    '/api/v3/communities',
    { summary: 'Create a community', tag, body: CreateCommunityBody, answers: communityShape },
    async (tx, { viewer, body }) => ({ roots: { communities: [await createCommunity(tx, viewer, body)] } }),
  )

  read(
    'GET',
    '/api/v3/communities/list',
    { summary: 'List communities by id', tag, query: ListCommunitiesQuery, answers: communityShape },
    async (_db, { query }) => ({ roots: { communities: query.communityIds } }),
  )

  read(
    'GET',
    '/api/v3/communities/:communityId',
    {
      summary: 'Get a community',
      tag,
      params: CommunityIdParams,
      query: CommunityIdQuery,
      answers: communityShape,
    },
    async (db, { viewer, params }) => {
      const { community } = await requireVisibleCommunity(db, viewer, params.communityId)
      return { roots: { communities: [community.id] } }
    },
  )

  write(
    'POST',
    '/api/v3/communities/:communityId/join',
    { summary: 'Join a community', tag, params: CommunityIdParams, answers: communityShape },
    async (tx, { viewer, params }) => ({
      roots: { communities: [await joinCommunity(tx, viewer, params.communityId)] },
    }),
  )

  write(
    'DELETE',
    '/api/v3/communities/:communityId/leave',
    { summary: 'Leave a community', tag, params: CommunityIdParams, answers: communityShape },
    async (tx, { viewer, params }) => ({
      roots: { communities: [await leaveCommunity(tx, viewer, params.communityId)] },
    }),
  )
}
