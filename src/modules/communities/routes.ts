import type { Routes } from '../../kernel/http/routes.ts'
import { Success } from '../../kernel/schema.ts'
import { createCommunity, deleteCommunity, updateCommunity } from './actions.ts'
import { listRecommended, listTopTrending, queryCommunities } from './queries.ts'
import { communityShape } from './resource.ts'
import {
  CommunityIdParams,
  CommunityIdQuery,
  CreateCommunityBody,
  ListCommunitiesQuery,
  QueryCommunitiesQuery,
  RankedCommunitiesQuery,
  UpdateCommunityBody,
} from './schema.ts'

const tag = 'Community'
const path = '/api/v3/communities'
const params = CommunityIdParams

export function communityRoutes({ read, write }: Routes): void {
  write(
    'POST',
    path,
    { summary: 'Create a community', tag, body: CreateCommunityBody, answers: communityShape },
    async (tx, { viewer, body }) => ({ roots: { communities: [await createCommunity(tx, viewer, body)] } }),
  )

  read(
    'GET',
    path,
    { summary: 'Query communities', tag, query: QueryCommunitiesQuery, answers: communityShape, paged: true },
    async (db, { viewer, query }) => {
      const { rows, paging } = await queryCommunities(db, viewer, query)
      return { roots: { communities: rows.map((row) => row.id) }, paging }
    },
  )

  read(
    'GET',
    `${path}/list`,
    { summary: 'List communities by id', tag, query: ListCommunitiesQuery, answers: communityShape },
    async (_db, { query }) => ({ roots: { communities: query.communityIds } }),
  )

  read(
    'GET',
    `${path}/recommended`,
    { summary: 'List recommended communities', tag, query: RankedCommunitiesQuery, answers: communityShape },
    async (db, { viewer, query }) => ({ roots: { communities: await listRecommended(db, viewer, query) } }),
  )

  read(
    'GET',
    `${path}/top-trending`,
    {
      summary: 'List the top trending communities',
      tag,
      query: RankedCommunitiesQuery,
      answers: communityShape,
    },
    async (db, { query }) => ({ roots: { communities: await listTopTrending(db, query) } }),
  )

  read(
    'GET',
    `${path}/:communityId`,
    { summary: 'Get a community', tag, params, query: CommunityIdQuery, answers: communityShape },
    async (_db, { params: { communityId } }) => ({
      roots: { communities: [communityId] },
      required: 'communities',
    }),
  )

  write(
    'PUT',
    `${path}/:communityId`,
    { summary: 'Update a community', tag, params, body: UpdateCommunityBody, answers: communityShape },
    async (tx, { viewer, params: { communityId }, body }) => ({
      roots: { communities: [await updateCommunity(tx, viewer, communityId, body)] },
    }),
  )

  write(
    'DELETE',
    `${path}/:communityId`,
    { summary: 'Delete a community', tag, params, answers: { schema: Success } },
    async (tx, { viewer, params: { communityId } }) => {
      await deleteCommunity(tx, viewer, communityId)
      return { body: { success: true } }
    },
  )
}
