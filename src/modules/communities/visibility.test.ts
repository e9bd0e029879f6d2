import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createCommunity, join, path, privacies } from '../../../test/factories/communities.ts'
import type { TestClient } from '../../../test/harness/client.ts'
import { startTestServer, type TestServer } from '../../../test/harness/server.ts'

// Who sees how much of which kind of community. `profile` is the community itself, `inside` its members and posts.
type Privacy = keyof typeof privacies
type Person = 'member' | 'outsider' | 'banned' | 'invited' | 'admin'
type Expected = { profile: number; inside: number; listed: boolean; join: number }

const seen = { profile: 200, inside: 200, listed: true, join: 200 }
const shut = { profile: 200, inside: 403, listed: true, join: 200 }
const gone = { profile: 404, inside: 404, listed: false, join: 404 }
const matrix: Record<Privacy, Record<Person, Expected>> = {
  public: { member: seen, outsider: seen, banned: { ...seen, join: 403 }, invited: seen, admin: seen },
  discoverable: { member: seen, outsider: shut, banned: { ...shut, join: 403 }, invited: shut, admin: seen },
  hidden: { member: seen, outsider: gone, banned: gone, invited: { ...shut, listed: false }, admin: seen },
}

let server: TestServer
const people = {} as Record<Person, TestClient>
const ids = {} as Record<Privacy, string>

beforeAll(async () => {
  server = await startTestServer()
  const owner = await server.as('owner')
  for (const person of ['member', 'outsider', 'banned', 'invited'] as const)
    people[person] = await server.as(person)
  people.admin = await server.asAdmin()
  for (const privacy of Object.keys(privacies) as Privacy[]) {
    const { communityId } = await createCommunity(owner, { ...privacies[privacy], userIds: ['member'] })
    ids[privacy] = communityId
    await owner.put(path(communityId, '/users/ban'), { userIds: ['banned'] })
    const type = { type: 'communityMemberInvite', targetType: 'community', targetId: communityId }
    await owner.post('/api/v1/invitations', { ...type, userIds: ['invited'] })
  }
})
afterAll(() => server.close())

const cases = (Object.keys(matrix) as Privacy[]).flatMap((privacy) =>
  (Object.keys(matrix[privacy]) as Person[]).map((person) => ({
    privacy,
    person,
    ...matrix[privacy][person],
  })),
)

describe.each(cases)(
  'a $privacy community, for the $person',
  ({ privacy, person, profile, inside, listed, join: joins }) => {
    it('is as visible as it should be', async () => {
      const client = people[person]
      const id = ids[privacy]
      const statusOf = async (rest: string) => (await client.get(path(id, rest))).status
      expect(await statusOf('')).toBe(profile)
      expect(await statusOf('/permissions/me')).toBe(profile)
      expect(await statusOf('/users')).toBe(inside)
      const byId = await client.get('/api/v3/communities/list', { communityIds: [id] })
      expect(byId.body.communities).toHaveLength(profile === 200 ? 1 : 0)
      if (profile === 404) expect(Object.values(byId.body).flat()).toEqual([])
      const query = { includeDiscoverablePrivateCommunity: true, options: { limit: 100 } }
      const found = (await client.get('/api/v3/communities', query)).body.communities
      expect(found.some((one: { communityId: string }) => one.communityId === id)).toBe(listed)
    })

    it('can be listened to by those who see inside', async () => {
      const url = `${server.url}/realtime?topics[]=hubbub/social/community/${ids[privacy]}`
      const abort = new AbortController()
      const headers = { authorization: `Bearer ${people[person].accessToken}` }
      const { status } = await fetch(url, { headers, signal: abort.signal })
      abort.abort()
      expect(status === 200).toBe(inside === 200)
    })

    it('can be joined by those who may', async () => {
      // The staff joins what it likes, which must not change what others see.
      expect((await join(people[person], ids[privacy])).status).toBe(joins)
    })
  },
)

it('lists discoverable communities only where they are asked for', async () => {
  const stranger = await server.as('stranger')
  const names = async (query: object) =>
    (await stranger.get('/api/v3/communities', query as Record<string, unknown>)).body.communities.map(
      (one: { communityId: string }) => one.communityId,
    )
  expect(await names({})).toEqual([ids.public])
  expect(await names({ includeDiscoverablePrivateCommunity: true })).toEqual([ids.discoverable, ids.public])
})

it('lets whoever knows its id into a hidden community where the network allows that', async () => {
  const knower = await server.as('knower')
  expect((await join(knower, ids.hidden)).status).toBe(404)
  await people.admin.put('/api/v3/network-settings/social', { allowJoinPrivateCommunity: true })
  expect((await join(knower, ids.hidden)).body.communities[0]).toMatchObject({ isJoined: true })
  await people.admin.put('/api/v3/network-settings/social', { allowJoinPrivateCommunity: false })
})
