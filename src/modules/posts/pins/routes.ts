import type { Routes } from '../../../kernel/http/routes.ts'
import { Success } from '../../../kernel/schema.ts'
import { globalTarget, pinGlobally, pinInCommunity, unpinGlobally, unpinInCommunity } from './actions.ts'
import { listCommunityPins, listGlobalPins } from './queries.ts'
import { pinShape } from './resource.ts'
import {
  CommunityPinParams,
  CommunityPinsParams,
  GlobalPinParams,
  PinsQuery,
  PlacementParams,
} from './schema.ts'

const global = '/api/v1/pinned-posts/global'
const community = '/api/v1/pinned-posts/communities/:communityId'

export function pinRoutes(routes: Routes): void {
  communityPinRoutes(routes)
  globalPinRoutes(routes)
}

function communityPinRoutes({ read, write }: Routes): void {
  const tag = 'Pin post'
  read(
    'GET',
    community,
    {
      summary: 'List what a community pins',
      tag,
      params: CommunityPinsParams,
      query: PinsQuery,
      answers: pinShape,
    },
    async (db, { viewer, params, query }) => ({
      roots: { ...(await listCommunityPins(db, viewer, params.communityId, { query })) },
    }),
  )
  read(
    'GET',
    `${community}/:placement`,
    {
      summary: 'List what a community pins in one place',
      tag,
      params: PlacementParams,
      query: PinsQuery,
      answers: pinShape,
    },
    async (db, { viewer, params: { communityId, placement }, query }) => ({
      roots: { ...(await listCommunityPins(db, viewer, communityId, { placement, query })) },
    }),
  )
  write(
    'POST',
    `${community}/:placement/:postId`,
    { summary: 'Pin a post', tag, params: CommunityPinParams, answers: pinShape },
    async (tx, { viewer, params: { communityId, placement, postId } }) => ({
      roots: {
        pins: [await pinInCommunity(tx, viewer, communityId, placement, postId)],
        pinTargets: [communityId],
      },
    }),
  )
  write(
    'DELETE',
    `${community}/:placement/:postId`,
    { summary: 'Unpin a post', tag, params: CommunityPinParams, answers: pinShape },
    async (tx, { viewer, params: { communityId, placement, postId } }) => {
      await unpinInCommunity(tx, viewer, communityId, { placement, postId })
      return { roots: { ...(await listCommunityPins(tx, viewer, communityId, { placement })) } }
    },
  )
  write(
    'DELETE',
    `${community}/:placement`,
    {
      summary: 'Unpin all posts in one place',
      tag,
      params: PlacementParams,
      answers: { schema: Success },
    },
    async (tx, { viewer, params: { communityId, placement } }) => {
      await unpinInCommunity(tx, viewer, communityId, { placement })
      return { body: { success: true } }
    },
  )
  write(
    'DELETE',
    community,
    {
      summary: 'Unpin all posts of a community',
      tag,
      params: CommunityPinsParams,
      answers: { schema: Success },
    },
    async (tx, { viewer, params: { communityId } }) => {
      await unpinInCommunity(tx, viewer, communityId, {})
      return { body: { success: true } }
    },
  )
}

function globalPinRoutes({ read, write }: Routes): void {
  const tag = 'Global featured post'
  read('GET', global, { summary: 'List what the network features', tag, answers: pinShape }, async (db) => ({
    roots: { ...(await listGlobalPins(db)) },
  }))
  write(
    'POST',
    `${global}/:postId`,
    { summary: 'Feature a post', tag, params: GlobalPinParams, answers: pinShape },
    async (tx, { viewer, params: { postId } }) => ({
      roots: { pins: [await pinGlobally(tx, viewer, postId)], pinTargets: [globalTarget] },
    }),
  )
  write(
    'DELETE',
    `${global}/:postId`,
    { summary: 'No longer feature a post', tag, params: GlobalPinParams, answers: pinShape },
    async (tx, { viewer, params: { postId } }) => {
      await unpinGlobally(tx, viewer, postId)
      return { roots: { ...(await listGlobalPins(tx)) } }
    },
  )
  write(
    'DELETE',
    global,
    { summary: 'No longer feature any post', tag, answers: pinShape },
    async (tx, { viewer }) => {
      await unpinGlobally(tx, viewer)
      return { roots: { ...(await listGlobalPins(tx)) } }
    },
  )
}
