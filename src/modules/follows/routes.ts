import type { Routes } from '../../kernel/http/routes.ts'
import { resolveUserId } from '../users/index.ts'
import { acceptFollower, blockUser, follow, removeFollower, unblockUser, unfollow } from './actions.ts'
import { pairId } from './pair.ts'
import { queryBlocks, queryRelations } from './queries.ts'
import { followInfoShape, followShape } from './resource.ts'
import { BlockListQuery, FollowListQuery, UserIdParams } from './schema.ts'

const tag = 'Follow'
const params = UserIdParams
const sides = ['followers', 'following'] as const

export function followRoutes(routes: Routes): void {
  relationRoutes(routes)
  listRoutes(routes)
  infoRoutes(routes)
  blockRoutes(routes)
}

function relationRoutes({ write }: Routes): void {
  const operations = [
    ['POST', 'following', 'Follow a user', follow],
    ['DELETE', 'following', 'Stop following a user, or take a request back', unfollow],
    ['POST', 'followers', 'Accept a request to follow', acceptFollower],
    ['DELETE', 'followers', 'Decline a request to follow, or remove a follower', removeFollower],
  ] as const
  for (const [method, side, summary, action] of operations) {
    write(
      method,
      `/api/v4/me/${side}/:userId`,
      { summary, tag, params, answers: followShape },
      async (tx, { viewer, params: { userId } }) => ({
        roots: { follows: [await action(tx, viewer, userId)] },
      }),
    )
  }
}

function listRoutes({ read }: Routes): void {
  for (const side of sides) {
    const people = side === 'followers' ? 'who follows' : 'whom they follow:'
    read(
      'GET',
      `/api/v4/me/${side}`,
      { summary: `Query one's own ${side}`, tag, query: FollowListQuery, answers: followShape, paged: true },
      async (db, { viewer, query }) => {
        const { ids, paging } = await queryRelations(db, viewer, viewer.id, side, query)
        return { roots: { follows: ids }, paging }
      },
    )
    read(
      'GET',
      `/api/v4/users/:userId/${side}`,
      {
        summary: `Query ${people} a user`,
        tag,
        params,
        query: FollowListQuery,
        answers: followShape,
        paged: true,
      },
      async (db, { viewer, params: { userId }, query }) => {
        const id = await resolveUserId(db, userId)
        const { ids, paging } = await queryRelations(db, viewer, id, side, query)
        return { roots: { follows: ids }, paging }
      },
    )
  }
}

function infoRoutes({ read }: Routes): void {
  read(
    'GET',
    '/api/v4/me/followInfo',
    { summary: "Get one's own follow counts", tag, answers: followInfoShape },
    async (_db, { viewer }) => ({ roots: { followCounts: [viewer.id] } }),
  )
  for (const version of ['v4', 'v5'] as const) {
    read(
      'GET',
      `/api/${version}/users/:userId/followInfo`,
      {
        summary: "Get a user's follow counts and one's own relation to them",
        tag,
        params,
        answers: followInfoShape,
      },
      async (db, { viewer, params: { userId } }) => {
        const id = await resolveUserId(db, userId)
        const follows = id === viewer.id ? [] : [pairId({ from: viewer.id, to: id })]
        return { roots: { follows, followCounts: [id] } }
      },
    )
  }
}

function blockRoutes({ read, write }: Routes): void {
  const path = '/api/v4/me/user-blocks'
  read(
    'GET',
    path,
    { summary: 'Query whom one blocked', tag, query: BlockListQuery, answers: followShape, paged: true },
    async (db, { viewer, query }) => {
      const { ids, paging } = await queryBlocks(db, viewer, query)
      return { roots: { follows: ids }, paging }
    },
  )
  const operations = [
    ['POST', 'Block a user', blockUser],
    ['DELETE', 'End a block', unblockUser],
  ] as const
  for (const [method, summary, action] of operations) {
    write(
      method,
      `${path}/:userId`,
      { summary, tag, params, answers: followInfoShape },
      async (tx, { viewer, params: { userId } }) => {
        const pair = await action(tx, viewer, userId)
        return { roots: { follows: [pairId(pair)], followCounts: [pair.to] } }
      },
    )
  }
}
