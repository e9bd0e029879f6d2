import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createCommunity, join, lineOf, path } from '../../../../test/factories/communities.ts'
import type { TestClient } from '../../../../test/harness/client.ts'
import { startTestServer, type TestServer } from '../../../../test/harness/server.ts'

let server: TestServer
let alice: TestClient
let bob: TestClient
let carol: TestClient
beforeAll(async () => {
  server = await startTestServer()
  alice = await server.as('alice')
  bob = await server.as('bob')
  carol = await server.as('carol')
})
afterAll(() => server.close())

const approval = { requiresJoinApproval: true }
const ask = (client: TestClient, id: string) => client.post(path(id, '/join', 'v4'))
const answer = (client: TestClient, id: string, how: 'approve' | 'reject', userId: string) =>
  client.post(path(id, `/join/${how}`, 'v4'), { userId })
const own = async (client: TestClient, id: string) =>
  (await client.get(path(id, '/join/me', 'v4'))).body.joinRequests

describe('asking to join', () => {
  it('answers every field of the request', async () => {
    const { communityId } = await createCommunity(alice, approval)
    const { status, body } = await ask(bob, communityId)
    expect(status).toBe(200)
    const [request] = body.joinRequests
    expect(request).toEqual({
      _id: request.joinRequestId,
      joinRequestId: expect.stringMatching(/^[0-9a-f]{24}$/),
      networkId: 'hubbub',
      type: 'communityJoinRequest',
      targetType: 'community',
      targetId: communityId,
      userId: 'bob',
      requestorId: 'bob',
      requestorPublicId: 'bob',
      requestorInternalId: bob.id,
      responderId: null,
      responderPublicId: null,
      responderInternalId: null,
      status: 'pending',
      respondedAt: null,
      createdAt: expect.any(String),
      updatedAt: request.createdAt,
    })
    expect(body.users).toMatchObject([{ userId: 'bob' }])
    expect(body.files).toEqual([])
    expect((await ask(bob, communityId)).body.joinRequests).toEqual(body.joinRequests)
    expect(await own(bob, communityId)).toEqual(body.joinRequests)
    expect((await bob.get(path(communityId))).body.communities[0]).toMatchObject({
      isJoined: false,
      membersCount: 1,
    })
  })

  it('is what the older join does there too', async () => {
    const { communityId } = await createCommunity(alice, approval)
    const { status, body } = await join(bob, communityId)
    expect(status).toBe(200)
    expect(body.communities[0]).toMatchObject({ isJoined: false })
    expect(lineOf(body, 'bob')).toBeUndefined()
    expect(await own(bob, communityId)).toMatchObject([{ status: 'pending' }])
  })

  it('joins at once where no approval is needed, and for the staff', async () => {
    const { communityId } = await createCommunity(alice)
    const first = (await ask(bob, communityId)).body.joinRequests
    expect(first).toMatchObject([{ status: 'approved', respondedAt: expect.any(String), responderId: null }])
    expect((await ask(bob, communityId)).body.joinRequests).toEqual(first)
    expect((await bob.get(path(communityId))).body.communities[0]).toMatchObject({ isJoined: true })
    const closed = await createCommunity(alice, approval)
    expect((await ask(await server.asAdmin(), closed.communityId)).body.joinRequests).toMatchObject([
      { status: 'approved' },
    ])
  })

  it('tells a member who has no request so', async () => {
    const { communityId } = await createCommunity(alice, { userIds: ['bob'] })
    expect(await own(bob, communityId)).toEqual([])
    expect((await ask(bob, communityId)).body.joinRequests).toMatchObject([{ status: 'approved' }])
  })
})

describe('answering', () => {
  it.each(['internal', 'public'])('lets the requester in, named by the %s id', async (kind) => {
    const { communityId } = await createCommunity(alice, approval)
    await ask(bob, communityId)
    const named = kind === 'internal' ? bob.id : 'bob'
    expect((await answer(alice, communityId, 'approve', named)).body).toEqual({ success: true })
    expect(await own(bob, communityId)).toMatchObject([
      {
        status: 'approved',
        responderId: 'alice',
        responderInternalId: alice.id,
        respondedAt: expect.any(String),
      },
    ])
    expect((await bob.get(path(communityId))).body.communities[0]).toMatchObject({
      isJoined: true,
      membersCount: 2,
    })
    expect((await answer(alice, communityId, 'approve', named)).body.code).toBe(400400)
  })

  it('turns the requester away, who may ask again', async () => {
    const { communityId } = await createCommunity(alice, approval)
    const [first] = (await ask(bob, communityId)).body.joinRequests
    expect((await answer(alice, communityId, 'reject', bob.id)).body).toEqual({ success: true })
    expect(await own(bob, communityId)).toMatchObject([
      { _id: first._id, status: 'rejected', responderId: 'alice' },
    ])
    const [second] = (await ask(bob, communityId)).body.joinRequests
    expect(second).toMatchObject({ status: 'pending' })
    expect(second._id).not.toBe(first._id)
  })

  it('is for those who may add members', async () => {
    const { communityId } = await createCommunity(alice, { ...approval, userIds: ['carol'] })
    await ask(bob, communityId)
    for (const client of [carol, bob]) {
      expect((await answer(client, communityId, 'approve', bob.id)).body.code).toBe(400301)
      expect((await client.get(path(communityId, '/join', 'v4'))).body.code).toBe(400301)
    }
    expect((await answer(alice, communityId, 'approve', 'nobody')).body.code).toBe(400400)
    expect((await alice.post(path(communityId, '/join/approve', 'v4'), {})).status).toBe(422)
    expect((await answer(await server.asAdmin(), communityId, 'approve', bob.id)).status).toBe(200)
  })
})

it('can be taken back', async () => {
  const { communityId } = await createCommunity(alice, approval)
  await ask(bob, communityId)
  expect((await bob.delete(path(communityId, '/join', 'v4'))).body).toEqual({ success: true })
  expect(await own(bob, communityId)).toMatchObject([{ status: 'cancelled', responderId: null }])
  expect((await bob.delete(path(communityId, '/join', 'v4'))).body.code).toBe(400400)
  expect((await answer(alice, communityId, 'approve', bob.id)).body.code).toBe(400400)
})

describe('a request ends', () => {
  it.each([
    ['by being added', 'approved', (id: string) => alice.post(path(id, '/users'), { userIds: ['bob'] })],
    ['by a ban', 'rejected', (id: string) => alice.put(path(id, '/users/ban'), { userIds: ['bob'] })],
  ])('%s', async (_how, status, act) => {
    const { communityId } = await createCommunity(alice, approval)
    await ask(bob, communityId)
    expect((await act(communityId)).status).toBe(200)
    expect(await own(bob, communityId)).toMatchObject([{ status, responderId: 'alice' }])
  })
})

describe('lists', () => {
  it("show a community's requests, by status and time, in pages", async () => {
    const { communityId } = await createCommunity(alice, approval)
    const askers = ['bob', 'carol', 'dave', 'erin', 'frank']
    for (const userId of askers) await ask(await server.as(userId), communityId)
    await answer(alice, communityId, 'reject', carol.id)
    const list = async (query: Record<string, unknown>) => {
      const { body } = await alice.get(path(communityId, '/join', 'v4'), query)
      return {
        paging: body.paging,
        who: body.joinRequests.map((one: { userId: string }) => one.userId),
        body,
      }
    }
    const pending = { status: 'pending', type: 'communityJoinRequest', targetType: 'community' }
    expect((await list({ ...pending, options: { limit: 20 } })).who).toEqual(['frank', 'erin', 'dave', 'bob'])
    expect((await list({ status: 'rejected' })).who).toEqual(['carol'])
    expect((await list({ sortBy: 'firstCreated' })).who).toEqual(askers)
    const first = await list({ sortBy: 'firstCreated', options: { limit: 3 } })
    const second = await list({ sortBy: 'firstCreated', options: { token: first.paging.next } })
    expect([...first.who, ...second.who]).toEqual(askers)
    expect(second.paging.next).toBeUndefined()
    expect(first.body.users.map((user: { userId: string }) => user.userId)).toEqual(
      expect.arrayContaining(first.who),
    )
    expect((await alice.get(path(communityId, '/join', 'v4'), { status: 'open' })).status).toBe(422)
  })

  it("show one's own, in all communities or some", async () => {
    const gina = await server.as('gina')
    const ids: string[] = []
    for (let i = 0; i < 3; i++) ids.push((await createCommunity(alice, approval)).communityId)
    for (const id of ids) await ask(gina, id)
    const list = async (query: Record<string, unknown>) => {
      const { body } = await gina.get('/api/v4/communities/join/requests', query)
      return body.joinRequests.map((one: { targetId: string }) => one.targetId)
    }
    expect(await list({ options: { limit: 5 } })).toEqual(ids.toReversed())
    expect(await list({ communityIds: [ids[1]], sortBy: 'lastCreated' })).toEqual([ids[1]])
    expect(
      (await gina.get('/api/v4/communities/join/requests', { communityIds: Array(101).fill('a') })).status,
    ).toBe(422)
  })
})
