import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createCommunity, join, lineOf, path } from '../../../../test/factories/communities.ts'
import type { TestClient } from '../../../../test/harness/client.ts'
import { startTestServer, type TestServer } from '../../../../test/harness/server.ts'

let server: TestServer
let alice: TestClient
let bob: TestClient
let carol: TestClient
let admin: TestClient
beforeAll(async () => {
  server = await startTestServer()
  alice = await server.as('alice')
  bob = await server.as('bob')
  carol = await server.as('carol')
  admin = await server.asAdmin()
})
afterAll(() => server.close())

const counts = async (communityId: string) => {
  const { membersCount, moderatorMemberCount } = (await admin.get(path(communityId))).body.communities[0]
  return { members: membersCount, moderators: moderatorMemberCount }
}
const moderator = { roles: ['community-moderator'] }
const promote = (client: TestClient, id: string, userIds: string[]) =>
  client.post(path(id, '/users/roles', 'v4'), { ...moderator, userIds })

describe('joining and leaving', () => {
  it('takes a body-less form post, twice', async () => {
    const { communityId } = await createCommunity(alice)
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    for (let i = 0; i < 2; i++) {
      const { body } = await bob.send('POST', path(communityId, '/join'), { headers })
      expect(body.communities[0]).toMatchObject({ isJoined: true, membersCount: 2 })
      expect(lineOf(body, 'bob')).toMatchObject({ communityMembership: 'member', roles: [], permissions: [] })
    }
  })

  it('remembers who left, and when they first came', async () => {
    const { communityId } = await createCommunity(alice)
    const joined = lineOf((await join(bob, communityId)).body, 'bob')
    const { body } = await bob.delete(path(communityId, '/leave'))
    expect(body.communities[0]).toMatchObject({ isJoined: false, membersCount: 1 })
    expect(lineOf(body, 'bob')).toMatchObject({
      communityMembership: 'none',
      notMemberReason: 'left',
      isBanned: false,
      lastJoin: joined.lastJoin,
    })
    const again = await bob.delete(path(communityId, '/leave'))
    expect([again.status, again.body.code]).toEqual([403, 400301])
    expect(lineOf((await join(bob, communityId)).body, 'bob')).toMatchObject({
      notMemberReason: null,
      createdAt: joined.createdAt,
    })
  })

  it('keeps the last moderator', async () => {
    const { communityId } = await createCommunity(alice, { userIds: ['bob'] })
    const refused = await alice.delete(path(communityId, '/leave'))
    expect([refused.status, refused.body.code]).toEqual([409, 400900])
    const demotion = { ...moderator, userIds: ['alice'] }
    expect((await alice.delete(path(communityId, '/users/roles', 'v4'), demotion)).status).toBe(409)
    expect((await admin.delete(path(communityId, '/users/roles', 'v4'), demotion)).status).toBe(409)
    expect((await alice.delete(path(communityId, '/users'), { userIds: ['alice'] })).status).toBe(409)
    expect(await counts(communityId)).toEqual({ members: 2, moderators: 1 })
    await promote(alice, communityId, ['bob'])
    expect((await alice.delete(path(communityId, '/leave'))).status).toBe(200)
    expect(await counts(communityId)).toEqual({ members: 1, moderators: 1 })
  })
})

describe('adding', () => {
  it('adds those who are no members yet', async () => {
    const { communityId } = await createCommunity(alice, { userIds: ['bob'] })
    const { body } = await alice.post(path(communityId, '/users'), {
      communityId,
      userIds: ['carol', 'bob', 'carol'],
    })
    expect(body.communityUsers.map((user: { userId: string }) => user.userId)).toEqual(['carol', 'bob'])
    expect(body.users.map((user: { userId: string }) => user.userId)).toEqual(
      expect.arrayContaining(['bob', 'carol']),
    )
    expect(body.communities).toHaveLength(1)
    expect(await counts(communityId)).toEqual({ members: 3, moderators: 1 })
  })

  it('is refused for the banned, the unknown, and by those who may not', async () => {
    const { communityId } = await createCommunity(alice, { userIds: ['bob'] })
    await alice.put(path(communityId, '/users/ban'), { userIds: ['carol'] })
    const add = (client: TestClient, userIds: unknown) =>
      client.post(path(communityId, '/users'), { userIds })
    expect((await add(alice, ['carol'])).body.code).toBe(400304)
    expect((await add(alice, ['nobody'])).body.code).toBe(400400)
    expect((await add(bob, ['dave'])).body.code).toBe(400301)
    expect((await add(alice, [])).status).toBe(422)
    expect((await add(alice, Array(101).fill('bob'))).status).toBe(422)
    expect((await add(alice, ['x'.repeat(51)])).status).toBe(422)
    expect((await add(alice, Array(100).fill('bob'))).status).toBe(200)
    expect(await counts(communityId)).toEqual({ members: 2, moderators: 1 })
  })

  it('needs consent where the network says so', async () => {
    await admin.put('/api/v3/network-settings/social', { membershipAcceptance: 'invitation' })
    const refused = await alice.post('/api/v3/communities', { displayName: 'x', userIds: ['bob'] })
    expect(refused.body.code).toBe(400301)
    const { communityId } = await createCommunity(alice)
    const add = (client: TestClient) => client.post(path(communityId, '/users'), { userIds: ['bob'] })
    expect((await add(alice)).body.code).toBe(400301)
    expect((await add(admin)).status).toBe(200)
    await admin.put('/api/v3/network-settings/social', { membershipAcceptance: 'automatic' })
  })
})

describe('removing', () => {
  it('takes names in the body or in the query', async () => {
    const { communityId } = await createCommunity(alice, { userIds: ['bob', 'carol'] })
    const { body } = await alice.delete(path(communityId, '/users'), { communityId, userIds: ['bob'] })
    expect(body.communityUsers).toHaveLength(1)
    expect(lineOf(body, 'bob')).toMatchObject({ communityMembership: 'none', notMemberReason: 'removed' })
    const inQuery = await alice.delete(`${path(communityId, '/users')}?userIds[]=carol`)
    expect(lineOf(inQuery.body, 'carol')).toMatchObject({ communityMembership: 'none' })
    expect((await alice.delete(path(communityId, '/users'))).status).toBe(422)
    expect((await alice.delete(path(communityId, '/users'), { userIds: ['bob'] })).status).toBe(404)
    expect(await counts(communityId)).toEqual({ members: 1, moderators: 1 })
  })

  it('clears a ban', async () => {
    const { communityId } = await createCommunity(alice)
    await alice.put(path(communityId, '/users/ban'), { userIds: ['bob'] })
    expect((await alice.delete(path(communityId, '/users'), { userIds: ['bob'] })).status).toBe(200)
    expect((await join(bob, communityId)).status).toBe(200)
  })

  it("is for those who may, and never for the network's moderators", async () => {
    const { communityId } = await createCommunity(alice, { userIds: ['bob', 'carol', 'admin'] })
    const remove = (client: TestClient, userId: string) =>
      client.delete(path(communityId, '/users'), { userIds: [userId] })
    expect((await remove(bob, 'carol')).body.code).toBe(400301)
    expect((await remove(alice, 'admin')).body.code).toBe(400306)
    expect((await remove(admin, 'alice')).status).toBe(200)
    expect(await counts(communityId)).toEqual({ members: 3, moderators: 0 })
  })
})

describe('banning', () => {
  it('ends the membership, the roles and the way back', async () => {
    const { communityId } = await createCommunity(alice, { userIds: ['bob'] })
    await promote(alice, communityId, ['bob'])
    const { body } = await alice.put(path(communityId, '/users/ban'), { userIds: ['bob', 'carol'] })
    for (const userId of ['bob', 'carol']) {
      expect(lineOf(body, userId)).toMatchObject({
        communityMembership: 'banned',
        isBanned: true,
        notMemberReason: 'banned',
        roles: [],
        permissions: [],
      })
    }
    expect(await counts(communityId)).toEqual({ members: 1, moderators: 1 })
    expect((await join(bob, communityId)).body.code).toBe(400304)
    expect((await bob.post(path(communityId, '/join', 'v4'))).body.code).toBe(400304)
    expect((await bob.delete(path(communityId, '/leave'))).body.code).toBe(400304)
    expect((await bob.get(path(communityId))).body.communities[0]).toMatchObject({ isJoined: false })
    expect(lineOf((await bob.get(path(communityId))).body, 'bob')).toMatchObject({ isBanned: true })
  })

  it('can be lifted, which makes nobody a member', async () => {
    const { communityId } = await createCommunity(alice, { userIds: ['bob'] })
    await alice.put(path(communityId, '/users/ban'), { userIds: ['bob'] })
    const { body } = await alice.put(path(communityId, '/users/unban'), { userIds: ['bob', 'carol'] })
    expect(lineOf(body, 'bob')).toMatchObject({
      communityMembership: 'none',
      isBanned: false,
      notMemberReason: 'unbanned',
    })
    expect(await counts(communityId)).toEqual({ members: 1, moderators: 1 })
    expect((await join(bob, communityId)).status).toBe(200)
  })

  it('has limits', async () => {
    const { communityId } = await createCommunity(alice, { userIds: ['bob'] })
    const ban = (client: TestClient, userIds: unknown) =>
      client.put(path(communityId, '/users/ban'), { userIds })
    expect((await ban(bob, ['carol'])).body.code).toBe(400301)
    expect((await ban(alice, ['alice'])).body.code).toBe(400000)
    expect((await ban(alice, ['admin'])).body.code).toBe(400306)
    expect((await ban(alice, ['nobody'])).body.code).toBe(400400)
    expect((await ban(alice, ['x'.repeat(901)])).status).toBe(422)
    expect((await ban(alice, Array(101).fill('bob'))).status).toBe(422)
    expect((await alice.put(path(communityId, '/users/unban'), { userIds: [] })).status).toBe(422)
  })
})

describe('roles', () => {
  it('come and go, in both versions', async () => {
    const { communityId } = await createCommunity(alice, { userIds: ['bob', 'carol'] })
    const roles = ['community-moderator', 'channel-moderator']
    const { body } = await alice.post(path(communityId, '/users/roles', 'v4'), {
      communityId,
      roles,
      userIds: ['bob', 'carol'],
    })
    expect(lineOf(body, 'bob')).toMatchObject({
      roles,
      permissions: expect.arrayContaining(['BAN_COMMUNITY_USER']),
    })
    expect(body.roles).toHaveLength(2)
    expect(await counts(communityId)).toEqual({ members: 3, moderators: 3 })
    const less = await bob.delete(path(communityId, '/users/roles', 'v4'), {
      communityId,
      roles,
      userIds: ['carol'],
    })
    expect(lineOf(less.body, 'carol')).toMatchObject({
      roles: [],
      permissions: [],
      communityMembership: 'member',
    })
    const one = { role: 'community-moderator', userIds: ['carol'] }
    expect(lineOf((await alice.post(path(communityId, '/users/roles'), one)).body, 'carol').roles).toEqual([
      one.role,
    ])
    const query = `?userIds[]=carol&role=community-moderator`
    expect(
      lineOf((await alice.delete(path(communityId, '/users/roles') + query)).body, 'carol').roles,
    ).toEqual([])
    const list = `?userIds[]=bob&roles[]=community-moderator&roles[]=channel-moderator`
    expect(
      lineOf((await alice.delete(path(communityId, '/users/roles', 'v4') + list)).body, 'bob').roles,
    ).toEqual([])
    expect(await counts(communityId)).toEqual({ members: 3, moderators: 1 })
  })

  it('are given to members by those who hold what they give', async () => {
    const { communityId } = await createCommunity(alice, { userIds: ['bob'] })
    const give = (client: TestClient, role: string, userId: string) =>
      client.post(path(communityId, '/users/roles'), { role, userIds: [userId] })
    expect((await give(bob, 'community-moderator', 'bob')).body.code).toBe(400301)
    expect((await give(alice, 'global-admin', 'bob')).body.code).toBe(400301)
    expect((await give(alice, 'moderator', 'bob')).body.code).toBe(400301)
    expect((await give(alice, 'no-such-role', 'bob')).body.code).toBe(400400)
    expect((await give(alice, 'community-moderator', 'carol')).body.code).toBe(400400)
    expect((await give(admin, 'moderator', 'bob')).status).toBe(200)
    expect(
      (await alice.delete(path(communityId, '/users/roles'), { role: 'moderator', userIds: ['carol'] }))
        .status,
    ).toBe(404)
  })

  it.each([
    ['v3', { role: '', userIds: ['bob'] }],
    ['v3', { role: 'x'.repeat(101), userIds: ['bob'] }],
    ['v3', { role: 'community-moderator' }],
    ['v4', { roles: [], userIds: ['bob'] }],
    ['v4', { roles: Array(21).fill('r'), userIds: ['bob'] }],
    ['v4', { roles: ['x'.repeat(101)], userIds: ['bob'] }],
    ['v4', { roles: ['community-moderator'], userIds: [] }],
  ])('keep the limits of %s: %j', async (version, body) => {
    const { communityId } = await createCommunity(alice, { userIds: ['bob'] })
    expect((await alice.post(path(communityId, '/users/roles', version), body)).status).toBe(422)
  })

  it('go with the membership', async () => {
    const { communityId } = await createCommunity(alice, { userIds: ['bob'] })
    await promote(alice, communityId, ['bob'])
    await bob.delete(path(communityId, '/leave'))
    expect(await counts(communityId)).toEqual({ members: 1, moderators: 1 })
    expect(lineOf((await join(bob, communityId)).body, 'bob').roles).toEqual([])
    expect((await bob.put(path(communityId), { displayName: 'x' })).status).toBe(403)
  })
})

it('answers what one may do', async () => {
  const { communityId } = await createCommunity(alice, { userIds: ['bob'] })
  const own = async (client: TestClient) => (await client.get(path(communityId, '/permissions/me'))).body
  expect(await own(alice)).toEqual({
    isCreator: true,
    permissions: expect.arrayContaining(['EDIT_COMMUNITY', 'DELETE_COMMUNITY_POST']),
  })
  expect(await own(bob)).toEqual({ isCreator: false, permissions: [] })
  expect(await own(admin)).toEqual({
    isCreator: false,
    permissions: expect.arrayContaining(['EDIT_COMMUNITY', 'CREATE_ROLE']),
  })
})

describe('the backing channel', () => {
  const rowsOf = async (channelId: string) => {
    const rows = await server.app.db
      .selectFrom('channelMembers')
      .innerJoin('users', 'users.id', 'channelMembers.userId')
      .select(['users.userId', 'channelMembers.membership', 'channelMembers.roles'])
      .where('channelId', '=', channelId)
      .orderBy('users.userId')
      .execute()
    return rows.map((row) => [row.userId, row.membership, ...row.roles])
  }

  it('has the same people, in the same standing', async () => {
    const { communityId: id } = await createCommunity(alice, { userIds: ['bob'] })
    await join(carol, id)
    const moderating = { roles: ['community-moderator', 'channel-moderator'], userIds: ['carol'] }
    await alice.post(path(id, '/users/roles', 'v4'), moderating)
    expect(await rowsOf(id)).toEqual([
      ['alice', 'member', 'channel-moderator'],
      ['bob', 'member'],
      ['carol', 'member', 'channel-moderator'],
    ])
    await alice.delete(path(id, '/users/roles', 'v4'), moderating)
    await alice.delete(path(id, '/users'), { userIds: ['bob'] })
    expect((await rowsOf(id)).slice(1)).toEqual([
      ['bob', 'none'],
      ['carol', 'member'],
    ])
    await alice.put(path(id, '/users/ban'), { userIds: ['carol', 'bob'] })
    expect((await rowsOf(id)).slice(1)).toEqual([
      ['bob', 'banned'],
      ['carol', 'banned'],
    ])
    await alice.put(path(id, '/users/unban'), { userIds: ['carol', 'bob'] })
    await join(carol, id)
    await carol.delete(path(id, '/leave'))
    await join(bob, id)
    expect((await rowsOf(id)).slice(1)).toEqual([
      ['bob', 'member'],
      ['carol', 'none'],
    ])
  })

  it('shows what the community shows, and ends with it', async () => {
    const { communityId: id, channelId } = await createCommunity(alice, {
      displayName: 'Before',
      notificationMode: 'silent',
    })
    const channel = async () =>
      server.app.db
        .selectFrom('channels')
        .select([
          'id',
          'channelId',
          'type',
          'displayName',
          'isPublic',
          'notificationMode',
          'isDeleted',
          'communityId',
        ])
        .where('communityId', '=', id)
        .executeTakeFirstOrThrow()
    const before = {
      id,
      channelId,
      type: 'community',
      displayName: 'Before',
      isPublic: true,
      notificationMode: 'silent',
    }
    expect(await channel()).toMatchObject(before)
    await alice.put(path(id), { displayName: 'After', isPublic: false })
    expect(await channel()).toMatchObject({ ...before, displayName: 'After', isPublic: false })
    await alice.delete(path(id))
    expect(await channel()).toMatchObject({ isDeleted: true })
  })

  it('changes its members only along with the community', async () => {
    const { communityId: id } = await createCommunity(alice)
    expect((await bob.post(`/api/v3/channels/${id}/join`)).status).toBe(403)
    await join(bob, id)
    expect((await bob.post(`/api/v3/channels/${id}/leave`)).status).toBeGreaterThanOrEqual(403)
    expect((await rowsOf(id)).length).toBe(2)
  })
})
