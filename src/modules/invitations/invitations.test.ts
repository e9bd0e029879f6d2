import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createCommunity, join, path } from '../../../test/factories/communities.ts'
import type { TestClient } from '../../../test/harness/client.ts'
import { startTestServer, type TestServer } from '../../../test/harness/server.ts'

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

const hidden = { isPublic: false }
const type = { type: 'communityMemberInvite', targetType: 'community' }
const invite = (client: TestClient, targetId: string, userIds: unknown) =>
  client.post('/api/v1/invitations', { ...type, targetId, userIds })
const act = (client: TestClient, id: string, how: 'accept' | 'reject') =>
  client.post(`/api/v1/invitations/${id}/${how}`)
const mine = async (client: TestClient, query: Record<string, unknown> = {}) =>
  (await client.get('/api/v1/invitations/me', query)).body.invitations

async function invited(client = bob): Promise<{ communityId: string; id: string }> {
  const { communityId } = await createCommunity(alice, hidden)
  const { body } = await invite(alice, communityId, [client.userId])
  return { communityId, id: body.invitations[0].invitationId }
}

describe('inviting', () => {
  it('answers every field, one invitation a person', async () => {
    const { communityId } = await createCommunity(alice, hidden)
    const { status, body } = await invite(alice, communityId, ['carol', 'bob', 'carol'])
    expect(status).toBe(200)
    expect(body.invitations.map((one: { userId: string }) => one.userId)).toEqual(['carol', 'bob'])
    const [, invitation] = body.invitations
    expect(invitation).toEqual({
      ...type,
      _id: invitation.invitationId,
      invitationId: expect.stringMatching(/^[0-9a-f]{24}$/),
      networkId: 'hubbub',
      targetId: communityId,
      communityId,
      userId: 'bob',
      invitedUserId: 'bob',
      invitedUserPublicId: 'bob',
      invitedUserInternalId: bob.id,
      createdBy: 'alice',
      inviterUserId: 'alice',
      inviterUserPublicId: 'alice',
      inviterUserInternalId: alice.id,
      status: 'pending',
      respondedAt: null,
      createdAt: expect.any(String),
      updatedAt: invitation.createdAt,
    })
    expect(body.users.map((user: { userId: string }) => user.userId).sort()).toEqual([
      'alice',
      'bob',
      'carol',
    ])
    const again = await invite(alice, communityId, ['bob'])
    expect(again.body.invitations).toEqual([invitation])
  })

  it('passes over members', async () => {
    const { communityId } = await createCommunity(alice, { userIds: ['bob'] })
    const { body } = await invite(alice, communityId, ['bob', 'carol', 'alice'])
    expect(body.invitations.map((one: { userId: string }) => one.userId)).toEqual(['carol'])
  })

  it('has limits', async () => {
    const { communityId } = await createCommunity(alice, { ...hidden, userIds: ['carol'] })
    await alice.put(path(communityId, '/users/ban'), { userIds: ['bob'] })
    expect((await invite(alice, communityId, ['bob'])).body.code).toBe(400304)
    expect((await invite(carol, communityId, ['dave'])).body.code).toBe(400301)
    expect((await invite(bob, communityId, ['carol'])).body.code).toBe(400400)
    expect((await invite(alice, communityId, ['nobody'])).body.code).toBe(400400)
    expect((await invite(alice, communityId, [])).status).toBe(422)
    expect((await invite(alice, communityId, Array(101).fill('dave'))).status).toBe(422)
    expect((await invite(alice, '0'.repeat(24), ['dave'])).body.code).toBe(400400)
    const wrong = {
      type: 'communityMemberInvite',
      targetType: 'room',
      targetId: communityId,
      userIds: ['carol'],
    }
    expect((await alice.post('/api/v1/invitations', wrong)).body.code).toBe(400000)
    expect((await alice.post('/api/v1/invitations', { ...wrong, type: 'other' })).status).toBe(422)
  })
})

describe('an invited person', () => {
  it('sees the hidden community and comes in past approval', async () => {
    const { communityId } = await createCommunity(alice, { ...hidden, requiresJoinApproval: true })
    const { body } = await invite(alice, communityId, ['bob'])
    const { invitationId } = body.invitations[0]
    expect(
      (await bob.get('/api/v3/communities/list', { communityIds: [communityId] })).body.communities,
    ).toHaveLength(1)
    expect((await act(bob, invitationId, 'accept')).body).toEqual({ success: true })
    expect((await bob.get(path(communityId))).body.communities[0]).toMatchObject({
      isJoined: true,
      membersCount: 2,
    })
    expect(await mine(bob, { targetId: communityId })).toMatchObject([
      { status: 'approved', respondedAt: expect.any(String) },
    ])
    expect((await act(bob, invitationId, 'accept')).status).toBe(200)
    expect((await act(bob, invitationId, 'reject')).body.code).toBe(400900)
  })

  it('may simply join', async () => {
    const { communityId } = await invited()
    expect((await join(bob, communityId)).body.communities[0]).toMatchObject({ isJoined: true })
    expect(await mine(bob, { targetId: communityId })).toMatchObject([{ status: 'approved' }])
  })

  it('stays out and in the dark after refusing', async () => {
    const { communityId, id } = await invited()
    expect((await act(bob, id, 'reject')).body).toEqual({ success: true })
    expect((await bob.get(path(communityId))).status).toBe(404)
    expect((await act(bob, id, 'reject')).status).toBe(200)
    expect((await act(bob, id, 'accept')).body.code).toBe(400900)
    expect((await invite(alice, communityId, ['bob'])).body.invitations[0]).toMatchObject({
      status: 'pending',
    })
  })

  it('is the only one who may answer', async () => {
    const { id } = await invited()
    for (const client of [alice, carol]) {
      expect((await act(client, id, 'accept')).body.code).toBe(400400)
      expect((await act(client, id, 'reject')).body.code).toBe(400400)
    }
    expect((await act(bob, 'nothing', 'accept')).body.code).toBe(400400)
  })
})

describe('an invitation ends', () => {
  it('when it is taken back, by who sent it or another who may', async () => {
    const { communityId, id } = await invited()
    expect((await carol.delete(`/api/v1/invitations/${id}`)).body.code).toBe(400400)
    expect((await (await server.asAdmin()).delete(`/api/v1/invitations/${id}`)).body).toEqual({
      success: true,
    })
    expect((await act(bob, id, 'accept')).body.code).toBe(400900)
    expect((await bob.get(path(communityId))).status).toBe(404)
    expect((await alice.delete('/api/v1/invitations/nothing')).body.code).toBe(400400)
  })

  it.each([
    ['banned', 'cancelled', (id: string) => alice.put(path(id, '/users/ban'), { userIds: ['bob'] })],
    ['added', 'approved', (id: string) => alice.post(path(id, '/users'), { userIds: ['bob'] })],
  ])('when the person is %s', async (_how, status, change) => {
    const { communityId } = await invited()
    expect((await change(communityId)).status).toBe(200)
    expect(await mine(bob, { targetId: communityId })).toMatchObject([{ status }])
  })

  it('with the community', async () => {
    const { communityId, id } = await invited()
    await alice.delete(path(communityId))
    expect((await act(bob, id, 'accept')).body.code).toBe(400400)
  })
})

describe('lists', () => {
  it('show those of a community to who may invite', async () => {
    const { communityId } = await createCommunity(alice, { ...hidden, userIds: ['carol'] })
    const people = ['dave', 'erin', 'frank', 'gina', 'henry']
    for (const userId of people) await server.as(userId)
    for (const userId of people) await invite(alice, communityId, [userId])
    const erin = await server.as('erin')
    await act(erin, (await mine(erin))[0].invitationId, 'reject')
    const list = async (query: Record<string, unknown>, client = alice) => {
      const { body } = await client.get('/api/v1/invitations', { ...type, targetId: communityId, ...query })
      return { ...body, who: body.invitations?.map((one: { userId: string }) => one.userId) }
    }
    expect((await list({ statuses: ['pending'], options: { limit: 20 } })).who).toEqual([
      'henry',
      'gina',
      'frank',
      'dave',
    ])
    expect((await list({ statuses: ['rejected', 'cancelled'] })).who).toEqual(['erin'])
    const first = await list({ sortBy: 'firstCreated', options: { limit: 3 } })
    const second = await list({ sortBy: 'firstCreated', options: { token: first.paging.next } })
    expect([...first.who, ...second.who]).toEqual(people)
    expect(second.paging.next).toBeUndefined()
    expect((await list({}, carol)).code).toBe(400301)
    expect((await list({}, bob)).code).toBe(400400)
    expect((await list({ statuses: ['open'] })).code).toBe(500000)
    const sent = (await alice.get('/api/v1/invitations', { options: { limit: 100 } })).body.invitations
    expect(new Set(sent.map((one: { createdBy: string }) => one.createdBy))).toEqual(new Set(['alice']))
    expect((await bob.get('/api/v1/invitations')).body.invitations).toEqual([])
  })

  it("show one's own", async () => {
    const ivan = await server.as('ivan')
    const first = await invited(ivan)
    const second = await invited(ivan)
    await act(ivan, first.id, 'accept')
    const pending = { targetType: 'community', statuses: ['pending'], options: { limit: 5 } }
    expect(await mine(ivan, pending)).toMatchObject([{ invitationId: second.id }])
    expect(await mine(ivan)).toMatchObject([{ invitationId: second.id }, { invitationId: first.id }])
    expect(await mine(ivan, { ...type, targetId: first.communityId })).toMatchObject([
      { invitationId: first.id },
    ])
    expect(await mine(ivan, { type: 'livestreamCohostInvite' })).toEqual([])
  })
})
