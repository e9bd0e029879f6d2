import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createCommunity } from '../../../test/factories/communities.ts'
import { setSocial } from '../../../test/factories/follows.ts'
import { createStory, expire, path, view } from '../../../test/factories/stories.ts'
import type { TestClient } from '../../../test/harness/client.ts'
import { listen } from '../../../test/harness/listener.ts'
import { startTestServer, type TestServer } from '../../../test/harness/server.ts'
import { storyEvents } from './events.ts'

let server: TestServer
let mia: TestClient
let alice: TestClient
let bob: TestClient
let stranger: TestClient
let communityId: string
let storyId: string
const told = new Set<string>()
beforeAll(async () => {
  server = await startTestServer()
  ;[mia, alice, bob, stranger] = (await Promise.all(
    ['mia', 'alice', 'bob', 'stranger'].map((name) => server.as(name)),
  )) as [TestClient, TestClient, TestClient, TestClient]
  communityId = (await createCommunity(mia, { userIds: ['alice', 'bob'] })).communityId
})
beforeEach(async () => {
  storyId = (await createStory(mia, communityId)).storyId
})
afterAll(() => server.close())

const read = async (client: TestClient = alice) => (await client.get(path(storyId))).body.stories?.[0]
const react = (client: TestClient, referenceId = storyId) =>
  client.post('/api/v2/reactions', { referenceType: 'story', referenceId, reactionName: 'like' })
const unreact = (client: TestClient) =>
  client.delete('/api/v2/reactions', { referenceType: 'story', referenceId: storyId, reactionName: 'like' })
const comment = (client: TestClient, fields: object = {}) =>
  client.post('/api/v3/comments', {
    referenceType: 'story',
    referenceId: storyId,
    data: { text: 'Oh' },
    ...fields,
  })
const comments = (client: TestClient) =>
  client.get('/api/v3/comments', { referenceType: 'story', referenceId: storyId })

/** What a listener to all stories of the community hears of what is done. */
async function hear(act: () => Promise<unknown>, ...names: string[]) {
  const listener = await listen(server, alice, [`hubbub/social/community/${communityId}/story/#`])
  await act()
  await server.settled()
  const heard = []
  for (const name of names) heard.push(await listener.next(name))
  expect(listener.names()).toEqual(names)
  listener.close()
  names.forEach((name) => told.add(name))
  return heard
}

const keys = ['categories', 'comments', 'communities', 'communityUsers', 'files', 'stories', 'users']

describe('reactions', () => {
  it('are counted, listed and told of', async () => {
    const [added] = await hear(() => react(bob), 'story.reactionAdded')
    expect(Object.keys(added!.data).sort()).toEqual([...keys, 'reactions', 'reactor'].sort())
    expect(added!.path).toBe(`hubbub/social/community/${communityId}/story/${storyId}`)
    expect(added!.data.stories).toMatchObject([{ storyId, reactions: { like: 1 }, reactionsCount: 1 }])
    expect(added!.data.stories[0].myReactions).toBeUndefined()
    expect(added!.data.reactions).toMatchObject([{ userId: 'bob', reactionName: 'like' }])
    expect(added!.data.reactor).toEqual(added!.data.reactions[0])
    expect(await read(bob)).toMatchObject({ myReactions: ['like'], reactionsCount: 1 })
    const listed = await alice.get('/api/v3/reactions', { referenceType: 'story', referenceId: storyId })
    expect(listed.body.reactions[0].reactors).toMatchObject([{ userId: 'bob' }])
    const [removed] = await hear(() => unreact(bob), 'story.reactionRemoved')
    expect(removed!.data).toMatchObject({ stories: [{ reactions: {}, reactionsCount: 0 }], reactions: [{}] })
  })

  it('of many at once are all counted', async () => {
    const people = await Promise.all(Array.from({ length: 8 }, (_, i) => server.as(`fan${i}`)))
    await setSocial(server, { disallowNonMemberInteractInCommunity: false })
    await Promise.all(people.map((person) => react(person)))
    await Promise.all(people.slice(4).map((person) => unreact(person)))
    await setSocial(server, { disallowNonMemberInteractInCommunity: true })
    expect(await read()).toMatchObject({ reactions: { like: 4 }, reactionsCount: 4 })
  })
})

describe('comments', () => {
  it('are counted and brought along with the story', async () => {
    const { body } = await comment(bob)
    const { commentId } = body.comments[0]
    expect(body.comments[0]).toMatchObject({
      path: `hubbub/social/community/${communityId}/story/${storyId}/comment/${commentId}`,
      targetType: 'community',
      targetId: communityId,
    })
    const shown = (await alice.get(path(storyId))).body
    expect(shown.stories[0]).toMatchObject({ comments: [commentId], commentsCount: 1 })
    expect(shown.comments).toMatchObject([{ commentId, userId: 'bob' }])
    await comment(alice, { parentId: commentId })
    expect(await read()).toMatchObject({ commentsCount: 2, comments: [commentId] })
    await bob.delete(`/api/v3/comments/${commentId}`)
    expect(await read()).toMatchObject({ commentsCount: 0, comments: [] })
  })

  it('are off where the community says so', async () => {
    await comment(bob)
    await mia.put(`/api/v3/communities/${communityId}`, { allowCommentInStory: false })
    expect((await comment(alice)).body.code).toBe(400300)
    expect((await comments(alice)).body.comments).toHaveLength(1)
    await mia.put(`/api/v3/communities/${communityId}`, { allowCommentInStory: true })
    expect((await comment(alice)).status).toBe(200)
  })

  it('that are flagged show on the story and its community, until they are gone', async () => {
    const { body } = await comment(bob)
    const { commentId } = body.comments[0]
    const flagged = async () => {
      const { communities } = (await mia.get(`/api/v3/communities/${communityId}`)).body
      return [(await read(mia))?.hasFlaggedComment, communities[0].hasFlaggedComment]
    }
    await alice.post(`/api/v3/comments/${commentId}/flag`)
    expect(await flagged()).toEqual([true, true])
    await alice.delete(`/api/v3/comments/${commentId}/unflag`)
    expect(await flagged()).toEqual([false, false])
    await alice.post(`/api/v3/comments/${commentId}/flag`)
    await mia.delete(path(storyId))
    expect(await flagged()).toEqual([undefined, false])
  })
})

it('takes part only who belongs there, and only while the story is shown', async () => {
  expect([(await react(stranger)).body.code, (await comment(stranger)).body.code]).toEqual([400301, 400301])
  await setSocial(server, { disallowNonMemberInteractInCommunity: false })
  expect([(await react(stranger)).status, (await comment(stranger)).status]).toEqual([200, 200])
  await setSocial(server, { disallowNonMemberInteractInCommunity: true })
  await expire(server, storyId)
  for (const client of [alice, mia]) {
    expect([(await react(client)).status, (await comment(client)).status]).toEqual([404, 404])
  }
  expect((await comments(alice)).status).toBe(404)
  expect((await comments(mia)).body.comments).toHaveLength(1)
})

describe('flags', () => {
  it('are counted once for each person, told of, and cleared by moderators', async () => {
    const [flagged] = await hear(() => bob.post(path(storyId, '/flags')), 'story.flagged', 'story.updated')
    expect(flagged!.data.stories).toMatchObject([{ flagCount: 1 }])
    expect(Object.keys(flagged!.data).sort()).toEqual(keys)
    await hear(() => bob.post(path(storyId, '/flags')))
    expect((await read()).hashFlag).not.toBeNull()
    await hear(() => bob.delete(path(storyId, '/flags')), 'story.unflagged', 'story.updated')
    expect(await read()).toMatchObject({ flagCount: 0, hashFlag: null })
    await Promise.all([alice.post(path(storyId, '/flags')), bob.post(path(storyId, '/flags'))])
    expect(await read()).toMatchObject({ flagCount: 2 })
    expect((await alice.delete(path(storyId, '/flags/all'))).body.code).toBe(400301)
    const cleared = await mia.delete(path(storyId, '/flags/all'))
    expect(cleared.body.stories).toMatchObject([{ storyId, flagCount: 0 }])
  })

  it('are not set on what is one’s own or gone', async () => {
    expect((await mia.post(path(storyId, '/flags'))).body.code).toBe(400300)
    await expire(server, storyId)
    expect((await alice.post(path(storyId, '/flags'))).status).toBe(404)
    await mia.delete(path(storyId))
    expect((await mia.delete(path(storyId, '/flags/all'))).status).toBe(404)
    expect((await mia.delete(path('nope', '/flags'))).status).toBe(422)
  })
})

describe('deletion', () => {
  it('takes a story away at once, and says so under both its names', async () => {
    const { storyId: id, referenceId } = await createStory(mia, communityId)
    expect((await alice.delete(path(id))).body.code).toBe(400300)
    const [deleted] = await hear(() => mia.delete(path(id)), 'story.deleted')
    expect(deleted!.data.stories).toMatchObject([
      { storyId: id, isDeleted: true },
      { storyId: id, isDeleted: true, referenceId },
    ])
    expect(deleted!.data.stories[0].referenceId).toBeUndefined()
    expect((await mia.get(path(id))).status).toBe(404)
    await hear(async () => expect((await mia.delete(path(id))).body).toEqual({ success: true }))
    expect((await alice.delete(path(id))).status).toBe(404)
  })

  it('for good leaves nothing that anybody wrote', async () => {
    await react(bob)
    await comment(bob)
    await bob.post(path(storyId, '/flags'))
    await mia.delete(path(storyId))
    const [deleted] = await hear(() => mia.delete(`${path(storyId)}?permanent=true`), 'story.deleted')
    expect(deleted!.data.stories[0]).toMatchObject({ data: {}, items: [], metadata: {}, reactions: {} })
    expect((await mia.delete(`${path(storyId)}?permanent=true`)).status).toBe(404)
    for (const table of ['comments', 'reactions', 'flags'] as const) {
      const rows = await server.app.db
        .selectFrom(table)
        .select('id')
        .where('referenceId', '=', storyId)
        .execute()
      expect(rows).toEqual([])
    }
  })

  it('is for moderators of the community and its creator', async () => {
    await setSocial(server, { story: { allowAllUserToCreateStory: true } })
    const own = await createStory(alice, communityId)
    const other = await createStory(alice, communityId)
    await setSocial(server, { story: { allowAllUserToCreateStory: false } })
    expect((await bob.delete(path(own.storyId))).body.code).toBe(400300)
    expect((await alice.delete(path(own.storyId))).status).toBe(200)
    expect((await mia.delete(path(other.storyId))).status).toBe(200)
    expect((await mia.delete(path('0'.repeat(24)))).status).toBe(404)
  })
})

it('counts who looked; its creator and moderators may know', async () => {
  await view(bob, storyId)
  await view(bob, storyId)
  await view(alice, storyId)
  expect(await read()).toMatchObject({ impression: 3, reach: 2 })
  const viewers = (client: TestClient, query = {}) =>
    client.get(`/api/v1/analytics/views/stories/${storyId}/users`, query)
  const { body } = await viewers(mia)
  expect(body.users.map((user: { userId: string }) => user.userId)).toEqual(['alice', 'bob'])
  const first = await viewers(mia, { limit: 1 })
  const second = await viewers(mia, { token: first.body.paging.next })
  expect([...first.body.users, ...second.body.users]).toEqual(body.users)
  expect((await viewers(bob)).body.code).toBe(400300)
  expect((await view(stranger, '0'.repeat(24))).status).toBe(202)
})

it('a new one is told of', async () => {
  const [created] = await hear(() => createStory(mia, communityId), 'story.created')
  expect(Object.keys(created!.data).sort()).toEqual(keys)
  expect(created!.data).toMatchObject({
    stories: [{ creatorPublicId: 'mia' }],
    users: [{ userId: 'mia' }],
    communities: [{ communityId }],
    communityUsers: [{ userId: 'mia' }],
  })
  expect(created!.data.stories[0].referenceId).toBeUndefined()
  expect([...told].sort()).toEqual(storyEvents.map((event) => event.name).sort())
})
