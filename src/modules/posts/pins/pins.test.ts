import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createCommunity } from '../../../../test/factories/communities.ts'
import { block, setSocial } from '../../../../test/factories/follows.ts'
import { createPost, inCommunity, path, uploadPicture } from '../../../../test/factories/posts.ts'
import type { TestAnswer, TestClient } from '../../../../test/harness/client.ts'
import { startTestServer, type TestServer } from '../../../../test/harness/server.ts'

let server: TestServer
let mia: TestClient
let bob: TestClient
let admin: TestClient
let communityId: string
beforeAll(async () => {
  server = await startTestServer()
  mia = await server.as('mia')
  bob = await server.as('bob')
  admin = await server.asAdmin()
  communityId = (await createCommunity(mia, { userIds: ['bob'] })).communityId
})
afterAll(() => server.close())

const global = '/api/v1/pinned-posts/global'
const at = (rest = '', id = communityId) => `/api/v1/pinned-posts/communities/${id}${rest}`
const pin = (client: TestClient, postId: string, placement = 'default', id = communityId) =>
  client.post(at(`/${placement}/${postId}`, id))
const pinned = ({ body }: TestAnswer) =>
  body.pins.map((one: { placement: string; referenceId: string }) => `${one.placement} ${one.referenceId}`)
const post = async (client = mia, id = communityId) =>
  (await createPost(client, inCommunity(id))).postId as string

it('pins in two places, in the order of pinning, with the posts', async () => {
  const [first, second] = [await post(bob), await post()]
  const answer = await pin(mia, first)
  expect(answer.status).toBe(200)
  expect(answer.body.pins).toEqual([
    { referenceId: first, referenceType: 'post', placement: 'default', pinnedBy: 'mia', pinnedAt: expect.any(String) },
  ]) // prettier-ignore
  expect(answer.body.pinTargets).toEqual([
    { targetId: communityId, targetType: 'community', lastPinsUpdatedAt: answer.body.pins[0].pinnedAt },
  ])
  expect(answer.body.posts).toMatchObject([{ postId: first }])
  await pin(mia, second, 'announcement')
  expect(pinned(await bob.get(at()))).toEqual([`announcement ${second}`, `default ${first}`])
  expect(pinned(await bob.get(at(), { options: { orderBy: 'asc' } }))).toEqual([
    `default ${first}`,
    `announcement ${second}`,
  ])
  expect(pinned(await bob.get(at('/announcement')))).toEqual([`announcement ${second}`])
  expect(pinned(await pin(mia, first))).toEqual([`default ${first}`])

  const left = await mia.delete(at(`/default/${first}`))
  expect(pinned(left)).toEqual([])
  expect((await mia.delete(at(`/default/${first}`))).status).toBe(404)
  expect((await mia.delete(at('/announcement'))).body).toEqual({ success: true })
  await pin(mia, first)
  expect((await mia.delete(at())).body).toEqual({ success: true })
  expect(pinned(await bob.get(at()))).toEqual([])
})

const refusals: [name: string, act: () => Promise<TestAnswer>, http: number, code: number][] = [
  ['members', async () => pin(bob, await post()), 403, 400301],
  ['members who unpin', () => bob.delete(at()), 403, 400301],
  ['a post of somewhere else', async () => pin(mia, (await createPost(mia)).postId), 404, 400400],
  ['an unknown post', () => pin(mia, 'f'.repeat(24)), 404, 400400],
  ['an unknown place', async () => pin(mia, await post(), 'global'), 422, 500000],
  ['an unknown community', () => mia.get(at('', 'f'.repeat(24))), 404, 400400],
  ['moderators who feature', async () => mia.post(`${global}/${await post()}`), 403, 400301],
  ['a sort order that is none', () => mia.get(at(), { options: { orderBy: 'up' } }), 422, 500000],
]
it.each(refusals)('refuses %s', async (_name, act, http, code) => {
  expect(await act()).toMatchObject({ status: http, body: { code } })
})

it('pins whole published posts, and loses those that are deleted', async () => {
  const attachments = [{ type: 'image', fileId: await uploadPicture(mia) }]
  const { postId, children } = await createPost(mia, { ...inCommunity(communityId), attachments })
  expect((await pin(mia, children[0])).status).toBe(400)
  await pin(mia, postId)
  await mia.delete(path(postId))
  expect(pinned(await mia.get(at()))).toEqual([])
  expect((await pin(mia, postId)).status).toBe(404)
})

it('holds twenty in both places together, also when many pin at once', async () => {
  const { communityId: id } = await createCommunity(mia)
  const ids = await Promise.all(Array.from({ length: 22 }, () => post(mia, id)))
  const answers = await Promise.all(
    ids.map((postId, i) => pin(mia, postId, i % 2 ? 'default' : 'announcement', id)),
  )
  expect(answers.filter((answer) => answer.status === 200)).toHaveLength(20)
  expect(answers.filter((answer) => answer.status === 400)).toHaveLength(2)
  expect((await mia.get(at('', id))).body.pins).toHaveLength(20)
})

describe('what the network features', () => {
  it('is shown to whoever may read it, up to what the network allows', async () => {
    const { communityId: hidden } = await createCommunity(mia, { isPublic: false })
    const [open, closed] = [await post(), await post(mia, hidden)]
    await admin.post(`${global}/${closed}`)
    const { body } = await admin.post(`${global}/${open}`)
    expect(body).toMatchObject({
      pins: [{ referenceId: open, placement: 'global', pinnedBy: 'admin' }],
      pinTargets: [{ targetId: 'hubbub', targetType: 'network' }],
    })
    expect(pinned(await mia.get(global))).toEqual([`global ${open}`, `global ${closed}`])
    expect(pinned(await bob.get(global))).toEqual([`global ${open}`])
    await block(bob, 'mia')
    expect((await bob.get(global)).body).toMatchObject({ pins: [], posts: [] })
    await bob.delete('/api/v4/me/user-blocks/mia')

    await setSocial(server, { globalFeed: { maxGlobalPinnedPost: 2 } })
    expect((await admin.post(`${global}/${await post()}`)).status).toBe(400)
    expect(pinned(await admin.delete(`${global}/${closed}`))).toEqual([`global ${open}`])
    expect((await admin.post(`${global}/${await post()}`)).status).toBe(200)
    expect(pinned(await admin.delete(global))).toEqual([])
    expect((await bob.delete(global)).status).toBe(403)
  })
})
