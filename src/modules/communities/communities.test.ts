import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestServer, type TestServer } from '../../../test/harness/server.ts'

let server: TestServer
beforeAll(async () => void (server = await startTestServer()))
afterAll(() => server.close())

it('creates, reads, lists, joins, leaves', async () => {
  const [alice, bob] = await Promise.all([server.as('alice'), server.as('bob')])
  const made = await alice.post('/api/v3/communities/', {
    displayName: 'Cooks',
    tags: ['a'],
    metadata: { b: 1 },
    userIds: ['bob'],
  })
  expect(made.status).toBe(200)
  const id = made.body.communities[0].communityId
  expect(
    (await bob.delete(`/api/v3/communities/${id}/leave`)).body.communityUsers[0].communityMembership,
  ).toBe('none')
  const joined = await bob.send('POST', `/api/v3/communities/${id}/join`, {
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  })
  expect(joined.body.communities[0]).toMatchObject({ isJoined: true, membersCount: 2 })
  expect((await alice.delete(`/api/v3/communities/${id}/leave`)).status).toBe(409)
  const list = await bob.get('/api/v3/communities/list', { communityIds: [id] })
  expect(list.body.communities.length).toBe(1)
})
