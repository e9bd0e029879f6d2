import { afterAll, beforeAll, expect, it } from 'vitest'
import { createCommunity, path } from '../../../test/factories/communities.ts'
import { countQueries } from '../../../test/harness/count-queries.ts'
import type { TestClient } from '../../../test/harness/client.ts'
import { startTestServer, type TestServer } from '../../../test/harness/server.ts'

const people = Array.from({ length: 50 }, (_, i) => `person${i}`)

let server: TestServer
let alice: TestClient
let communityId: string
beforeAll(async () => {
  server = await startTestServer()
  alice = await server.as('alice')
  await server.as('bob')
  const at = new Date(0)
  const users = people.map((userId, i) => ({
    id: `${i}`.padStart(24, '0'),
    userId,
    createdAt: at,
    updatedAt: at,
  }))
  await server.app.db.insertInto('users').values(users).execute()
  communityId = (await createCommunity(alice, { userIds: people })).communityId
  for (let i = 0; i < 49; i++)
    await createCommunity(alice, { displayName: `Community ${i}`, userIds: ['bob'] })
  const requests = users.map(({ id }) => ({
    id,
    communityId,
    userId: id,
    status: 'pending',
    createdAt: at,
    updatedAt: at,
  }))
  await server.app.db.insertInto('communityJoinRequests').values(requests).execute()
  const invitation = {
    type: 'communityMemberInvite',
    targetType: 'community',
    targetId: communityId,
    createdBy: alice.id,
  }
  await server.app.db
    .insertInto('invitations')
    .values(requests.map(({ communityId: _, ...row }) => ({ ...invitation, ...row })))
    .execute()
  await server.settled()
}, 120_000)
afterAll(() => server.close())

it.each([
  ['communities', 'communities', '/api/v3/communities', {}],
  ['communities by name', 'communities', '/api/v3/communities', { sortBy: 'displayName', keyword: 'c' }],
  ["one's own communities", 'communities', '/api/v3/communities', { filter: 'member' }],
  ['members', 'communityUsers', () => path(communityId, '/users'), {}],
  [
    'members by name',
    'communityUsers',
    () => path(communityId, '/users'),
    { sortBy: 'displayName', search: 'p' },
  ],
  ['join requests', 'joinRequests', () => path(communityId, '/join', 'v4'), { status: 'pending' }],
  ['invitations', 'invitations', '/api/v1/invitations', { statuses: ['pending'] }],
  ['trending', 'communities', '/api/v3/communities/top-trending', {}],
])('one or fifty %s cost the same', async (_what, rows, where, query) => {
  const url = typeof where === 'string' ? where : where()
  const read = async (limit: number) => {
    const { status, body } = await alice.get(url, { ...query, options: { limit } })
    expect(status).toBe(200)
    expect(body[rows]).toHaveLength(limit)
  }
  // What is remembered between requests is remembered by now.
  await read(50)
  const one = await least(() => read(1))
  const fifty = await least(() => read(50))
  expect(fifty).toBe(one)
})

/** The fewest statements of some tries: a pulse of the dispatcher may fall into one of them. */
async function least(work: () => Promise<unknown>): Promise<number> {
  const counts = []
  for (let i = 0; i < 3; i++) counts.push(await countQueries(work))
  return Math.min(...counts)
}
