import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createCommunity, privacies } from '../../../test/factories/communities.ts'
import { block, follow, setSocial, unblock } from '../../../test/factories/follows.ts'
import { createStory, expire, idsOf, listStories, path, view } from '../../../test/factories/stories.ts'
import type { TestClient } from '../../../test/harness/client.ts'
import { countQueries } from '../../../test/harness/count-queries.ts'
import { startTestServer, type TestServer } from '../../../test/harness/server.ts'

let server: TestServer
let mia: TestClient
let alice: TestClient
let bob: TestClient
beforeAll(async () => {
  server = await startTestServer()
  ;[mia, alice, bob] = (await Promise.all(['mia', 'alice', 'bob'].map((name) => server.as(name)))) as [
    TestClient,
    TestClient,
    TestClient,
  ]
})
afterAll(() => server.close())

const inCommunity = (targetId: string) => ({ targetType: 'community', targetId })
const targetsQuery = (targets: object[]) =>
  targets
    .flatMap((target, i) => Object.entries(target).map(([key, value]) => `targets[${i}][${key}]=${value}`))
    .join('&')
const seen = async (client: TestClient, ...targets: object[]) =>
  (await client.get(`/api/v4/stories/seen?${targetsQuery(targets)}`)).body.storyTargets
const globalTargets = async (client: TestClient, query: object = {}) => {
  const { body } = await client.get('/api/v5/me/global-story-targets', { ...query })
  return { ids: body.storyTargets.map((target: { targetId: string }) => target.targetId) as string[], body }
}

it('lists what is shown now, newest or oldest first, in pages that join', async () => {
  const { communityId } = await createCommunity(mia)
  const made: string[] = []
  for (let i = 0; i < 5; i++) made.push((await createStory(mia, communityId)).storyId)
  await expire(server, made[1]!)
  await mia.delete(path(made[3]!))
  const shown = [made[0], made[2], made[4]]
  expect((await listStories(alice, communityId, { options: { orderBy: 'asc' } })).ids).toEqual(shown)
  expect((await listStories(alice, communityId)).ids).toEqual([...shown].reverse())
  const first = await listStories(alice, communityId, { options: { orderBy: 'asc', limit: 2 } })
  expect(first.ids).toEqual(shown.slice(0, 2))
  const token = first.body.paging.next
  const second = await listStories(alice, communityId, { options: { orderBy: 'asc', token } })
  expect(second.ids).toEqual(shown.slice(2))
  expect(second.body.paging.next).toBeUndefined()
  const counted = await alice.get('/api/v4/stories/count', inCommunity(communityId))
  expect(counted.body).toEqual({ count: 3 })
  expect((await listStories(alice, communityId, { dataType: 'image' })).ids).toEqual([])
  expect((await listStories(alice, communityId, { dataType: 'text' })).ids).toHaveLength(3)
})

it.each([
  ['a limit of 0', { options: { limit: 0 } }, 500000],
  ['a limit of 101', { options: { limit: 101 } }, 500000],
  ['an unknown order', { options: { orderBy: 'up' } }, 500000],
  ['a foreign token', { options: { token: 'e30=!' } }, 200],
  ['a broken token', { options: { token: 'bm90IGpzb24=' } }, 400000],
  ['an unknown place', { targetType: 'content' }, 500000],
])('answers %s', async (_what, query, code) => {
  const { communityId } = await createCommunity(mia)
  const { body, status } = await listStories(alice, communityId, query)
  expect(body.code ?? status).toBe(code)
})

it('shows expired stories to those who manage them', async () => {
  const { communityId } = await createCommunity(mia, { userIds: ['alice'] })
  const { storyId } = await createStory(mia, communityId)
  await createStory(mia, communityId)
  await expire(server, storyId)
  expect((await listStories(mia, communityId, { isExpired: true })).ids).toEqual([storyId])
  expect((await listStories(alice, communityId, { isExpired: true })).body.code).toBe(400301)
  expect((await alice.get(path(storyId))).body.code).toBe(400400)
  expect((await mia.get(path(storyId))).status).toBe(200)
})

describe('who sees the stories of a community', () => {
  it.each([
    ['public', 200, 200],
    ['discoverable', 400301, 200],
    ['hidden', 400400, 200],
  ] as const)('%s', async (kind, outside, inside) => {
    const { communityId } = await createCommunity(mia, { ...privacies[kind], userIds: ['bob'] })
    const { storyId } = await createStory(mia, communityId)
    const see = async (client: TestClient) => {
      const { body, status } = await listStories(client, communityId)
      return body.code ?? status
    }
    expect([await see(alice), await see(bob)]).toEqual([outside, inside])
    expect((await alice.get(path(storyId))).status).toBe(outside === 200 ? 200 : 404)
    const { body } = await alice.get(`/api/v4/stories-by-targets?${targetsQuery([inCommunity(communityId)])}`)
    expect(idsOf(body)).toEqual(outside === 200 ? [storyId] : [])
    expect(await seen(alice, inCommunity(communityId))).toHaveLength(outside === 200 ? 1 : 0)
  })
})

it("shows people's own stories to whom their page is open", async () => {
  const { storyId } = await createStory(alice, 'alice', { targetType: 'user' })
  const story = (await bob.get(path(storyId))).body.stories[0]
  expect(story).toMatchObject({ targetType: 'user', targetId: alice.id, targetPublicId: 'alice' })
  expect(story.path).toBe(`hubbub/social/user/${alice.id}/story/${storyId}`)
  for (const targetId of ['alice', alice.id]) {
    expect((await listStories(bob, targetId, { targetType: 'user' })).ids).toEqual([storyId])
    expect(await seen(bob, { targetType: 'user', targetId })).toMatchObject([{ targetPublicId: 'alice' }])
  }
  await block(bob, 'alice')
  expect((await listStories(bob, 'alice', { targetType: 'user' })).body.code).toBe(400400)
  expect(await seen(bob, { targetType: 'user', targetId: 'alice' })).toEqual([])
  await unblock(bob, 'alice')
  await setSocial(server, { userPrivacySetting: 'private' })
  expect((await listStories(bob, 'alice', { targetType: 'user' })).body.code).toBe(400301)
  expect((await bob.get(path(storyId))).status).toBe(404)
  await follow(bob, 'alice')
  expect((await listStories(bob, 'alice', { targetType: 'user' })).ids).toEqual([storyId])
  expect((await globalTargets(bob)).ids).toContain(alice.id)
  expect((await globalTargets(alice)).ids).toContain(alice.id)
  await setSocial(server, { userPrivacySetting: 'public' })
  await alice.delete(path(storyId))
  expect((await listStories(bob, 'nobody', { targetType: 'user' })).status).toBe(404)
})

it('remembers how far each person has come at each place', async () => {
  const { communityId } = await createCommunity(mia, { userIds: ['alice', 'bob'] })
  const at = inCommunity(communityId)
  expect(await seen(alice, at)).toMatchObject([{ targetId: communityId, hasUnseen: false }])
  const first = await createStory(mia, communityId)
  const second = await createStory(mia, communityId)
  await server.app.db
    .updateTable('stories')
    .set({ expiresAt: new Date(Date.parse(second.expiresAt) - 60_000) })
    .where('id', '=', first.storyId)
    .execute()
  await view(alice, first.storyId)
  const [part] = await seen(alice, at)
  expect(part).toMatchObject({ hasUnseen: true, lastStoryExpiresAt: second.expiresAt })
  expect(Date.parse(part.lastStorySeenExpiresAt)).toBeLessThan(Date.parse(second.expiresAt))
  expect((await globalTargets(alice)).ids).toContain(communityId)
  await Promise.all([view(alice, second.storyId), view(alice, second.storyId), view(alice, first.storyId)])
  expect(await seen(alice, at)).toMatchObject([
    { hasUnseen: false, lastStoryExpiresAt: second.expiresAt, lastStorySeenExpiresAt: second.expiresAt },
  ])
  expect((await globalTargets(alice)).ids).not.toContain(communityId)
  expect((await globalTargets(alice, { seenState: 'seen' })).ids).toContain(communityId)
  expect((await globalTargets(alice, { seenState: 'all' })).ids).toContain(communityId)
  expect((await globalTargets(bob)).ids).toContain(communityId)
  expect(await seen(bob, at)).toMatchObject([{ hasUnseen: true }])
  const newer = await createStory(mia, communityId)
  expect((await globalTargets(alice)).ids).toContain(communityId)
  await mia.delete(path(newer.storyId))
  expect((await globalTargets(alice)).ids).not.toContain(communityId)
})

it('lists followed places with stories in pages that join; what cannot be seen is none', async () => {
  const dora = await server.as('dora')
  const places: string[] = []
  for (let i = 0; i < 5; i++) {
    const { communityId } = await createCommunity(mia, { isPublic: false, userIds: ['dora'] })
    const { storyId } = await createStory(mia, communityId)
    const expiresAt = new Date(Date.now() + (i + 1) * 60_000)
    await server.app.db.updateTable('stories').set({ expiresAt }).where('id', '=', storyId).execute()
    places.unshift(communityId)
  }
  const empty = await createCommunity(mia, { userIds: ['dora'] })
  const elsewhere = await createCommunity(mia)
  await createStory(mia, elsewhere.communityId)
  const gone = await createCommunity(mia, { userIds: ['dora'] })
  await createStory(mia, gone.communityId)
  await mia.delete(`/api/v3/communities/${gone.communityId}`)
  const all = await globalTargets(dora, { limit: 100 })
  expect(all.ids).toEqual(places)
  expect(all.ids).not.toContain(empty.communityId)
  expect(all.body.communities).toHaveLength(5)
  const joined: string[] = []
  let token: string | undefined
  do {
    const page = await globalTargets(dora, token ? { token } : { limit: 2 })
    joined.push(...page.ids)
    token = page.body.paging.next
  } while (token)
  expect(joined).toEqual(places)
  await block(dora, 'mia')
  expect((await globalTargets(dora)).ids).toEqual([])
  expect((await listStories(dora, places[0]!)).ids).toEqual([])
  expect(await seen(dora, inCommunity(places[0]!))).toMatchObject([{ hasUnseen: false }])
  await unblock(dora, 'mia')
})

it('asks for up to ten places at once', async () => {
  const { communityId } = await createCommunity(mia)
  const { communityId: other } = await createCommunity(mia)
  const ids = [(await createStory(mia, communityId)).storyId, (await createStory(mia, other)).storyId]
  const two = targetsQuery([inCommunity(communityId), inCommunity(other), inCommunity('nowhere')])
  const sorting = 'options[sortBy]=createdAt&options[orderBy]=asc'
  const { body } = await alice.get(`/api/v4/stories-by-targets?${two}&${sorting}`)
  expect(idsOf(body)).toEqual(ids)
  expect(body.storyTargets).toHaveLength(2)
  const many = (n: number) => targetsQuery(Array(n).fill(inCommunity(communityId)))
  for (const operation of ['stories-by-targets', 'stories/seen']) {
    expect((await alice.get(`/api/v4/${operation}?${many(10)}`)).status).toBe(200)
    expect((await alice.get(`/api/v4/${operation}?${many(11)}`)).status).toBe(422)
    expect((await alice.get(`/api/v4/${operation}`)).status).toBe(422)
  }
})

it('reads many stories with the queries of one', async () => {
  const { communityId } = await createCommunity(mia)
  await createStory(mia, communityId)
  const one = await countQueries(() => listStories(alice, communityId))
  for (let i = 0; i < 20; i++) await createStory(mia, communityId)
  expect((await listStories(alice, communityId)).ids).toHaveLength(21)
  expect(await countQueries(() => listStories(alice, communityId))).toBe(one)
})
