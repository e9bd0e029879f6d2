import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  channelPath,
  converse,
  createChannel,
  memberOf,
  ok,
  refusal,
  say,
} from '../../../../test/factories/chat.ts'
import type { TestClient } from '../../../../test/harness/client.ts'
import { startTestServer, type TestServer } from '../../../../test/harness/server.ts'

let server: TestServer
let alice: TestClient
let bob: TestClient
let admin: TestClient
beforeAll(async () => {
  server = await startTestServer()
  ;[alice, bob, admin] = await Promise.all([server.as('alice'), server.as('bob'), server.asAdmin()])
  await server.as('carol')
})
afterAll(() => server.close())

const userIdsOf = (body: { channelUsers: { userId: string }[] }) => body.channelUsers.map((one) => one.userId)
const counts = async (channelId: string) => {
  const { memberCount, moderatorMemberCount } = ok(await admin.get(channelPath(channelId))).channels[0]
  return [memberCount, moderatorMemberCount]
}

describe('joining and leaving', () => {
  it('makes a member once, who sees from then on', async () => {
    const { channelId } = await createChannel(alice)
    await say(alice, channelId, 'before')
    const joined = ok(await bob.post(channelPath(channelId, '/join')))
    expect(memberOf(joined, 'bob')).toMatchObject({ membership: 'member', roles: [], readToSegment: 1 })
    expect(ok(await bob.post(channelPath(channelId, '/join'))).channels[0].memberCount).toBe(2)
    expect(await counts(channelId)).toEqual([2, 1])
    const left = ok(await bob.delete(channelPath(channelId, '/leave')))
    expect(memberOf(left, 'bob')).toMatchObject({ membership: 'none', roles: [] })
    expect(refusal(await bob.delete(channelPath(channelId, '/leave')))).toEqual([403, 400301])
    expect(await counts(channelId)).toEqual([1, 1])
    expect(ok(await bob.post(channelPath(channelId, '/join'))).channels[0].memberCount).toBe(2)
  })

  it('keeps private channels to those added', async () => {
    const { channelId } = await createChannel(alice, { isPublic: false })
    expect(refusal(await bob.post(channelPath(channelId, '/join')))).toEqual([404, 400400])
    expect((await admin.post(channelPath(channelId, '/join'))).status).toBe(200)
  })

  it('counts rightly when many come and go at once', async () => {
    const { channelId } = await createChannel(alice)
    const people = await Promise.all(Array.from({ length: 12 }, (_, i) => server.as(`walker-${i}`)))
    await Promise.all(people.flatMap((one) => [1, 2, 3].map(() => one.post(channelPath(channelId, '/join')))))
    expect(await counts(channelId)).toEqual([13, 1])
    await Promise.all(
      people.flatMap((one, i) =>
        i % 2 ? [1, 2].map(() => one.delete(channelPath(channelId, '/leave'))) : [],
      ),
    )
    expect(await counts(channelId)).toEqual([7, 1])
  })
})

describe('adding and removing', () => {
  it('takes in who is new and answers them', async () => {
    const { channelId } = await createChannel(alice, { userIds: ['bob'] })
    const body = ok(
      await alice.post(channelPath(channelId, '/users'), { channelId, userIds: ['bob', 'carol'] }),
    )
    expect(userIdsOf(body)).toEqual(['carol', 'alice'])
    expect(await counts(channelId)).toEqual([3, 1])
    const removed = ok(
      await alice.delete(channelPath(channelId, '/users'), { channelId, userIds: ['carol', 'bob'] }),
    )
    expect(memberOf(removed, 'bob').membership).toBe('none')
    expect(await counts(channelId)).toEqual([1, 1])
  })

  it('takes the people to remove from the query too', async () => {
    const { channelId } = await createChannel(alice, { userIds: ['bob'] })
    expect((await alice.delete(`${channelPath(channelId, '/users')}?userIds[]=bob`)).status).toBe(200)
    expect(refusal(await alice.delete(channelPath(channelId, '/users')))).toEqual([422, 500000])
  })

  it('is for those with the permission', async () => {
    const { channelId } = await createChannel(alice, { userIds: ['bob'] })
    for (const act of [
      () => bob.post(channelPath(channelId, '/users'), { userIds: ['carol'] }),
      () => bob.delete(channelPath(channelId, '/users'), { userIds: ['alice'] }),
    ])
      expect(refusal(await act())).toEqual([403, 400301])
    expect((await admin.post(channelPath(channelId, '/users'), { userIds: ['carol'] })).status).toBe(200)
  })

  it.each([
    ['100 people', Array(100).fill('bob'), 200],
    ['101 people', Array(101).fill('bob'), 422],
    ['nobody', [], 422],
    ['a stranger', ['who'], 404],
    ['an empty name', [''], 422],
  ])('judges %s', async (_name, userIds, status) => {
    const { channelId } = await createChannel(alice)
    expect((await alice.post(channelPath(channelId, '/users'), { userIds })).status).toBe(status)
  })
})

describe('querying members', () => {
  let channelId: string
  const people = Array.from({ length: 7 }, (_, i) => `person-${i}`)
  beforeAll(async () => {
    await Promise.all(people.map((userId) => server.as(userId)))
    channelId = (await createChannel(alice)).channelId
    for (const userId of people) await alice.post(channelPath(channelId, '/users'), { userIds: [userId] })
    await alice.put(channelPath(channelId, '/users/ban'), { userIds: ['person-6'] })
    await alice.put(`/api/v2/channel/${channelId}/users/mute`, { userIds: ['person-1'], mutePeriod: -1 })
    await alice.post(channelPath(channelId, '/users/roles'), {
      userIds: ['person-2'],
      role: 'channel-moderator',
    })
  })
  const newest = ['person-5', 'person-4', 'person-3', 'person-2', 'person-1', 'person-0', 'alice']

  it.each([
    ['v3', {}, newest],
    ['v3', { filter: 'all', sortBy: 'firstCreated' }, newest.toReversed()],
    ['v3', { filter: 'muted' }, ['person-1']],
    ['v3', { filter: 'banned' }, ['person-6']],
    ['v3', { filter: 'member&banned' }, ['person-6', ...newest]],
    ['v3', { roles: ['channel-moderator'] }, ['person-2', 'alice']],
    ['v3', { isDeleted: true }, []],
    ['v4', {}, newest],
    ['v4', { memberships: ['banned', 'muted'] }, ['person-6', 'person-1']],
    ['v4', { memberships: ['member'], roles: ['channel-moderator'], channelId: 'x' }, ['person-2', 'alice']],
    ['v4', { role: ['channel-moderator'] }, ['person-2', 'alice']],
    ['v4', { search: 'PERSON-3' }, ['person-3']],
    ['v4', { search: '%' }, []],
    ['v4', { search: '' }, newest],
  ])('%s %j', async (version, asked, expected) => {
    const body = ok(
      await alice.get(channelPath(channelId, '/users', version), { ...asked, options: { limit: 20 } }),
    )
    expect(userIdsOf(body)).toEqual(expected)
    expect(body.channels.map((one: { channelId: string }) => one.channelId)).toEqual([channelId])
    expect(body.users.map((one: { userId: string }) => one.userId).toSorted()).toEqual(expected.toSorted())
  })

  it('pages joined are the whole list, both ways', async () => {
    const path = channelPath(channelId, '/users', 'v4')
    const first = ok(await alice.get(path, { options: { limit: 3 } }))
    const second = ok(await alice.get(path, { options: { token: first.paging.next } }))
    const third = ok(await alice.get(path, { options: { token: second.paging.next } }))
    expect([first, second, third].flatMap(userIdsOf)).toEqual(newest)
    expect(third.paging.next).toBeUndefined()
    const back = ok(await alice.get(path, { options: { token: third.paging.previous } }))
    expect(userIdsOf(back)).toEqual(userIdsOf(second))
  })

  it('is not for those banned, nor for those who cannot see the channel', async () => {
    const banned = await server.as('person-6')
    expect(refusal(await banned.get(channelPath(channelId, '/users')))).toEqual([403, 400304])
    const hidden = await createChannel(alice, { isPublic: false })
    expect((await bob.get(channelPath(hidden.channelId, '/users'))).status).toBe(404)
    expect((await alice.get(channelPath(channelId, '/users'), { filter: 'odd' })).status).toBe(422)
  })
})

describe('roles', () => {
  it('are given and taken, and counted', async () => {
    const { channelId } = await createChannel(alice, { userIds: ['bob', 'carol'] })
    const path = channelPath(channelId, '/users/roles')
    const given = ok(await alice.post(path, { channelId, userIds: ['bob'], role: 'channel-moderator' }))
    expect(memberOf(given, 'bob')).toMatchObject({ roles: ['channel-moderator'] })
    expect(memberOf(given, 'bob').permissions).toContain('BAN_CHANNEL_USER')
    expect(await counts(channelId)).toEqual([3, 2])
    await alice.post(path, { userIds: ['bob'], role: 'channel-moderator' })
    expect(await counts(channelId)).toEqual([3, 2])
    const taken = ok(await bob.delete(path, { channelId, userIds: ['bob'], role: 'channel-moderator' }))
    expect(memberOf(taken, 'bob').roles).toEqual([])
    expect(await counts(channelId)).toEqual([3, 1])
    expect((await alice.delete(`${path}?userIds[]=carol&role=channel-moderator`)).status).toBe(200)
    expect(refusal(await alice.delete(path, { userIds: ['carol'] }))).toEqual([422, 500000])
  })

  it('are refused to those who lack what they hold', async () => {
    const { channelId } = await createChannel(alice, { userIds: ['bob'] })
    const path = channelPath(channelId, '/users/roles')
    const give = (client: TestClient, role: string) => client.post(path, { userIds: ['bob'], role })
    expect(refusal(await give(bob, 'channel-moderator'))).toEqual([403, 400301])
    expect(refusal(await give(alice, 'global-admin'))).toEqual([403, 400301])
    expect(refusal(await give(alice, 'no-such-role'))).toEqual([404, 400400])
    expect((await give(admin, 'global-admin')).status).toBe(200)
  })

  it('go with the membership', async () => {
    const { channelId } = await createChannel(alice, { userIds: ['bob'] })
    await alice.post(channelPath(channelId, '/users/roles'), { userIds: ['bob'], role: 'channel-moderator' })
    await bob.delete(channelPath(channelId, '/leave'))
    expect(await counts(channelId)).toEqual([1, 1])
    const back = ok(await bob.post(channelPath(channelId, '/join')))
    expect(memberOf(back, 'bob').roles).toEqual([])
  })

  it('are not given in broadcasts and conversations', async () => {
    const broadcast = await createChannel(alice, { type: 'broadcast', userIds: ['bob'] })
    const conversation = await converse(alice, ['bob'])
    for (const { channelId } of [broadcast, conversation])
      for (const act of [
        () => admin.post(channelPath(channelId, '/users/roles'), { userIds: ['bob'], role: 'member' }),
        () => admin.put(channelPath(channelId, '/users/ban'), { userIds: ['bob'] }),
        () => admin.put(`/api/v2/channel/${channelId}/mute`, { mutePeriod: -1 }),
        () => admin.put(`/api/v2/channel/${channelId}/users/mute`, { userIds: ['bob'], mutePeriod: -1 }),
      ])
        expect(refusal(await act())).toEqual([403, 400300])
  })
})
