import { afterAll, beforeAll, expect, it } from 'vitest'
import { createCommunity } from '../../../test/factories/communities.ts'
import { createPost, inCommunity, path, readPost } from '../../../test/factories/posts.ts'
import type { TestClient } from '../../../test/harness/client.ts'
import { startTestServer, type TestServer } from '../../../test/harness/server.ts'

let server: TestServer
let alice: TestClient
let bob: TestClient
beforeAll(async () => {
  server = await startTestServer()
  alice = await server.as('alice')
  bob = await server.as('bob')
})
afterAll(() => server.close())

const view = (contentId: string, second = 0, fields: object = {}) => ({
  contentId,
  contentType: 'post',
  activityType: 'view',
  timestamp: new Date(Date.UTC(2025, 0, 1, 0, 0, second)).toISOString(),
  ...fields,
})
const report = (client: TestClient, ...activities: object[]) =>
  client.post('/api/v1/analytics/activities', { activities })
const viewers = (client: TestClient, postId: string, query = {}) =>
  client.get(`/api/v1/analytics/views/posts/${postId}/users`, { ...query })
const seen = async (postId: string) => {
  const { impression, reach } = await readPost(alice, postId)
  return { impression, reach }
}

it('counts every look once, and every person once', async () => {
  const { postId, updatedAt } = await createPost(alice)
  const answer = await report(bob, view(postId, 1), view(postId, 1), view(postId, 2))
  expect([answer.status, answer.body]).toEqual([202, { status: 'success' }])
  expect(await seen(postId)).toEqual({ impression: 2, reach: 1 })
  await report(alice, view(postId))
  await report(bob, view(postId, 3), view(postId, 4, { activityType: 'linkClicked' }))
  expect(await seen(postId)).toEqual({ impression: 4, reach: 2 })
  expect((await readPost(alice, postId)).updatedAt).toBe(updatedAt)
  const { body } = await viewers(alice, postId)
  expect(body.users.map((user: { userId: string }) => user.userId)).toEqual(['alice', 'bob'])
  const first = await viewers(alice, postId, { limit: 1 })
  const second = await viewers(alice, postId, { token: first.body.paging.next })
  expect([...first.body.users, ...second.body.users]).toEqual(body.users)
})

it('passes over what is unknown, hidden, deleted or no content', async () => {
  const { communityId } = await createCommunity(alice, { isPublic: false })
  const hidden = (await createPost(alice, inCommunity(communityId))).postId
  const gone = (await createPost(alice)).postId
  await alice.delete(path(gone))
  const others = [
    view('f'.repeat(24)),
    view('f'.repeat(24), 0, { contentType: 'story' }),
    view('an ad', 0, { contentType: 'ad', metadata: { placement: 'feed' } }),
  ]
  expect((await report(bob, view(hidden), view(gone), ...others)).status).toBe(202)
  expect(await seen(hidden)).toEqual({ impression: 0, reach: 0 })
  expect(await seen(gone)).toEqual({ impression: 0, reach: 0 })
})

it('tells who looked only those who wrote or moderate', async () => {
  const { postId } = await createPost(alice)
  expect(await viewers(bob, postId)).toMatchObject({ status: 403, body: { code: 400300 } })
  expect((await viewers(bob, 'f'.repeat(24))).status).toBe(404)
  expect((await viewers(await server.asAdmin(), postId)).status).toBe(200)
})

it('counts truly when many report at once, in any order', async () => {
  const ids = await Promise.all(
    Array.from({ length: 5 }, async () => (await createPost(alice)).postId as string),
  )
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, i) =>
      report(i % 2 ? alice : bob, ...(i % 3 ? ids : [...ids].reverse()).map((id) => view(id, i))),
    ),
  )
  expect(answers.map((answer) => answer.status)).toEqual(Array(12).fill(202))
  for (const id of ids) expect(await seen(id)).toEqual({ impression: 12, reach: 2 })
})

const limits: [name: string, activities: () => object[], http: number][] = [
  ['none', () => [], 422],
  ['1000', () => Array.from({ length: 1000 }, (_, i) => view('f'.repeat(24), i)), 202],
  ['1001', () => Array.from({ length: 1001 }, (_, i) => view('f'.repeat(24), i)), 422],
  ['an id that is none', () => [view('me')], 422],
  ['an unknown type', () => [view('f'.repeat(24), 0, { contentType: 'comment' })], 422],
  ['an unknown activity', () => [view('f'.repeat(24), 0, { activityType: 'blink' })], 422],
  ['a time that is none', () => [view('f'.repeat(24), 0, { timestamp: 'now' })], 422],
]
it.each(limits)('limit: %s', async (_name, activities, http) => {
  expect((await report(bob, ...activities())).status).toBe(http)
})
