import type { Routes } from '../../../kernel/http/routes.ts'
import { Success } from '../../../kernel/schema.ts'
import { communityShape } from '../resource.ts'
import { CommunityIdParams } from '../schema.ts'
import {
  approveJoinRequest,
  cancelJoinRequest,
  joinCommunity,
  rejectJoinRequest,
  requestToJoin,
} from './actions.ts'
import { findMyJoinRequest, queryJoinRequests, queryMyJoinRequests } from './queries.ts'
import { joinRequestShape } from './resource.ts'
import { AnswerJoinRequestBody, QueryJoinRequestsQuery, QueryMyJoinRequestsQuery } from './schema.ts'

const tag = 'Community join request'
const path = '/api/v4/communities/:communityId/join'
const params = CommunityIdParams

export function joinRequestRoutes({ read, write }: Routes): void {
  write(
    'POST',
    '/api/v3/communities/:communityId/join',
    { summary: 'Join a community, or ask to', tag: 'Community', params, answers: communityShape },
    async (tx, request) => ({
      roots: { communities: [await joinCommunity(tx, request.viewer, request.params.communityId)] },
    }),
  )

  read(
    'GET',
    '/api/v4/communities/join/requests',
    {
      summary: "Query one's own join requests",
      tag,
      query: QueryMyJoinRequestsQuery,
      answers: joinRequestShape,
      paged: true,
    },
    async (db, { viewer, query }) => {
      const { rows, paging } = await queryMyJoinRequests(db, viewer, query)
      return { roots: { joinRequests: rows.map((row) => row.id) }, paging }
    },
  )

  write(
    'POST',
    path,
    { summary: 'Join a community, or ask to', tag, params, answers: joinRequestShape },
    async (tx, request) => ({
      roots: { joinRequests: [await requestToJoin(tx, request.viewer, request.params.communityId)] },
    }),
  )

  read(
    'GET',
    path,
    {
      summary: "Query a community's join requests",
      tag,
      params,
      query: QueryJoinRequestsQuery,
      answers: joinRequestShape,
      paged: true,
    },
    async (db, request) => {
      const { rows, paging } = await queryJoinRequests(
        db,
        request.viewer,
        request.params.communityId,
        request.query,
      )
      return { roots: { joinRequests: rows.map((row) => row.id) }, paging }
    },
  )

  read(
    'GET',
    `${path}/me`,
    { summary: "Get one's newest join request", tag, params, answers: joinRequestShape },
    async (db, request) => ({
      roots: { joinRequests: await findMyJoinRequest(db, request.viewer, request.params.communityId) },
    }),
  )

  write(
    'DELETE',
    path,
    { summary: 'Cancel a join request', tag, params, answers: { schema: Success } },
    async (tx, request) => {
      await cancelJoinRequest(tx, request.viewer, request.params.communityId)
      return { body: { success: true } }
    },
  )

  write(
    'POST',
    `${path}/approve`,
    {
      summary: 'Approve a join request',
      tag,
      params,
      body: AnswerJoinRequestBody,
      answers: { schema: Success },
    },
    async (tx, { viewer, params: { communityId }, body }) => {
      await approveJoinRequest(tx, viewer, communityId, body.userId)
      return { body: { success: true } }
    },
  )

  write(
    'POST',
    `${path}/reject`,
    {
      summary: 'Reject a join request',
      tag,
      params,
      body: AnswerJoinRequestBody,
      answers: { schema: Success },
    },
    async (tx, { viewer, params: { communityId }, body }) => {
      await rejectJoinRequest(tx, viewer, communityId, body.userId)
      return { body: { success: true } }
    },
  )
}
