import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createCommunity, join, path } from '../../../../test/factories/communities.ts'
import type { TestClient } from '../../../../test/harness/client.ts'
import { startTestServer, type TestServer } from '../../../../test/harness/server.ts'

// Who is in the list, in the order in which they joined.
const people = ['zoe', 'Yan', 'xaver', 'Will', 'vera']

let server: TestServer
let owner: TestClient
let communityId: string
beforeAll(async () => {
  server = await startTestServer()
  owner = await server.as('owner')
  communityId = (await createCommunity(owner)).communityId
  for (const userId of [...people, 'banned']) await join(await server.as(userId), communityId)
  await owner.put(path(communityId, '/users/ban'), { userIds: ['banned'] })
  await owner.post(path(communityId, '/users/roles', 'v4'), {
    roles: ['channel-moderator'],
    userIds: ['Yan'],
  })
  await (await server.as('vera')).put('/api/v3/users', { displayName: 'zz Ödegaard' })
})
afterAll(() => server.close())

async function query(filters: Record<string, unknown> = {}, client = owner) {
  const { status, body } = await client.get(path(communityId, '/users'), {
    options: { limit: 20 },
    ...filters,
  })
  return {
    status,
    body,
    userIds: body.communityUsers?.map((user: { userId: string }) => user.userId) as string[],
  }
}

describe('the members query', () => {
  it.each([
    ['everybody, newest first', {}, [...people.toReversed(), 'owner'].filter(Boolean)],
    ['oldest first', { sortBy: 'firstCreated' }, ['owner', ...people]],
    ['by name', { sortBy: 'displayName' }, ['owner', 'Will', 'xaver', 'Yan', 'zoe', 'vera']],
    ['by role', { roles: ['channel-moderator', 'other'] }, ['Yan', 'owner']],
    ['moderators', { roles: ['community-moderator'] }, ['owner']],
    ['the banned', { memberships: ['banned'] }, ['banned']],
    [
      'members and banned',
      { memberships: ['member', 'banned'], sortBy: 'firstCreated' },
      ['owner', ...people, 'banned'],
    ],
    ['found by name, any case', { search: 'ÖDEG' }, ['vera']],
    ['found by id', { search: 'xav' }, ['xaver']],
    ['found by what looks like a pattern', { search: '%' }, []],
    ['deleted accounts', { isDeleted: true }, []],
    ['the internal id kind', { type: 'internal', communityId: 'ignored' }, [...people.toReversed(), 'owner']],
  ])('finds %s', async (_what, filters, expected) => {
    expect((await query(filters)).userIds).toEqual(expected)
  })

  it('answers the whole envelope, and nobody who is not in the list', async () => {
    const { body } = await query({ options: { limit: 2 } })
    expect(body.communityUsers).toHaveLength(2)
    expect(body.communities).toMatchObject([{ communityId, isJoined: true }])
    for (const { userId } of body.communityUsers) {
      expect(body.users.map((user: { userId: string }) => user.userId)).toContain(userId)
    }
    expect(body).toMatchObject({ files: [], categories: [], feeds: expect.any(Array) })
  })

  it.each(['firstCreated', 'lastCreated', 'displayName'])('pages by %s, forth and back', async (sortBy) => {
    const whole = (await query({ sortBy })).userIds
    const pages: string[][] = []
    let paging: { next?: string; previous?: string } = {}
    let options: Record<string, unknown> = { limit: 2 }
    do {
      const { body, userIds } = await query({ sortBy, options })
      pages.push(userIds)
      paging = body.paging
      for (const token of [paging.next, paging.previous])
        expect((token ?? '').length).toBeLessThanOrEqual(100)
      options = { token: paging.next }
    } while (paging.next)
    expect(pages.flat()).toEqual(whole)
    expect(pages[0]).toHaveLength(2)
    expect((await query({ sortBy, options: { token: paging.previous } })).userIds).toEqual(pages.at(-2))
  })

  it('refuses tokens of other lists, and what is over its limits', async () => {
    const { body } = await query({ sortBy: 'lastCreated', options: { limit: 2 } })
    expect((await query({ sortBy: 'displayName', options: { token: body.paging.next } })).body.code).toBe(
      400000,
    )
    expect((await query({ options: { token: 'nonsense' } })).body.code).toBe(400000)
    for (const [filters, status] of [
      [{ options: { limit: 100 } }, 200],
      [{ options: { limit: 101 } }, 422],
      [{ memberships: ['none'] }, 422],
      [{ memberships: ['member', 'banned', 'member'] }, 422],
      [{ roles: Array(20).fill('r') }, 200],
      [{ roles: Array(21).fill('r') }, 422],
      [{ search: 'x'.repeat(10_000) }, 200],
      [{ search: 'x'.repeat(10_001) }, 422],
      [{ sortBy: 'age' }, 422],
    ] as const) {
      expect((await query(filters)).status).toBe(status)
    }
  })

  it('shows the banned to those who may ban', async () => {
    const member = await server.as('zoe')
    expect((await query({ memberships: ['banned'] }, member)).body.code).toBe(400301)
    expect((await query({}, member)).status).toBe(200)
    expect((await query({ memberships: ['banned'] }, await server.asAdmin())).userIds).toEqual(['banned'])
  })
})
