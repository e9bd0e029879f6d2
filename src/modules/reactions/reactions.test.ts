import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createChannel, say } from '../../../test/factories/chat.ts'
import { createComment, createPost } from '../../../test/factories/comments.ts'
import { countQueries } from '../../../test/harness/count-queries.ts'
import type { TestClient } from '../../../test/harness/client.ts'
import { startTestServer, type TestServer } from '../../../test/harness/server.ts'
import { countReaction } from './index.ts'

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

interface Thing {
  referenceType: string
  referenceId: string
  /** As shown to bob. */
  read(): Promise<any> // eslint-disable-line @typescript-eslint/no-explicit-any -- tests read what the wire holds
}

const things: Record<string, () => Promise<Thing>> = {
  async post() {
    const { postId } = await createPost(alice)
    const read = async () => (await bob.get(`/api/v3/posts/${postId}`)).body.posts[0]
    return { referenceType: 'post', referenceId: postId, read }
  },
  async comment() {
    const { commentId } = await createComment(alice, (await createPost(alice)).postId)
    const read = async () => (await bob.get(`/api/v3/comments/${commentId}`)).body.comments[0]
    return { referenceType: 'comment', referenceId: commentId, read }
  },
  async message() {
    const { channelId } = await createChannel(alice, { type: 'community', userIds: ['bob', 'carol'] })
    const { messageId } = await say(alice, channelId, 'Hello')
    const read = async () =>
      (await bob.get('/api/v5/messages/list', { messageIds: [messageId] })).body.messages[0]
    return { referenceType: 'message', referenceId: messageId, read }
  },
}
const sent = ({ referenceType, referenceId }: Thing, reactionName = 'like') => ({
  referenceType,
  referenceId,
  reactionName,
})
const add = (client: TestClient, thing: Thing, name?: string) =>
  client.post('/api/v2/reactions', sent(thing, name))
const remove = (client: TestClient, thing: Thing, name?: string) =>
  client.delete('/api/v2/reactions', sent(thing, name))
const list = (
  client: TestClient,
  { referenceType, referenceId }: Thing,
  query: Record<string, unknown> = {},
) => client.get('/api/v3/reactions', { referenceType, referenceId, ...query })
const countOf = ({ reactionsCount, reactionCount }: { reactionsCount?: number; reactionCount?: number }) =>
  reactionsCount ?? reactionCount

describe.each(Object.keys(things))('reactions to a %s', (kind) => {
  it('are counted by name, once for each person and name, and taken back', async () => {
    const thing = await things[kind]!()
    const first = await add(bob, thing)
    expect(first.status).toBe(200)
    // Said again, it stays the same reaction.
    expect((await add(bob, { ...thing, referenceVersion: 5 } as Thing)).body).toEqual(first.body)
    await add(bob, thing, 'love')
    await add(carol, thing)
    const shown = await thing.read()
    expect(shown).toMatchObject({ reactions: { like: 2, love: 1 }, myReactions: ['like', 'love'] })
    expect(countOf(shown)).toBe(3)
    expect((await remove(bob, thing)).body).toEqual({ removedId: first.body.addedId })
    const gone = await remove(bob, thing)
    expect([gone.status, gone.body.code]).toEqual([404, 400400])
    await remove(carol, thing)
    const left = await thing.read()
    expect(left).toMatchObject({ reactions: { love: 1 }, myReactions: ['love'] })
    expect(left.reactions).not.toHaveProperty('like')
    expect(countOf(left)).toBe(1)
  })

  it('take any name of 1 to 100 characters, also those that objects inherit', async () => {
    const thing = await things[kind]!()
    const names = ['x'.repeat(100), '👍', 'constructor', '__proto__', 'toString', 'a b/c']
    for (const name of names) expect((await add(bob, thing, name)).status).toBe(200)
    const shown = await thing.read()
    expect(Object.entries(shown.reactions)).toEqual(names.map((name) => [name, 1]))
    expect(shown.myReactions).toEqual(names)
    for (const name of names) expect((await remove(bob, thing, name)).status).toBe(200)
    expect((await thing.read()).reactions).toEqual({})
    for (const bad of ['', 'x'.repeat(101)]) expect((await add(bob, thing, bad)).status).toBe(422)
  })

  it('are listed with who reacted, newest first, of one name or all, page by page', async () => {
    const thing = await things[kind]!()
    expect((await list(bob, thing)).body).toMatchObject({
      reactions: [{ referenceId: thing.referenceId, referenceType: kind, reactors: [] }],
      users: [],
      paging: {},
    })
    for (const client of [alice, bob, carol]) await add(client, thing)
    await add(bob, thing, 'love')
    const { body } = await list(carol, thing)
    const shown = body.reactions[0].reactors.map((one: Record<string, string>) => `${one.userId} ${one.reactionName}`)
    expect(shown).toEqual(['bob love', 'carol like', 'bob like', 'alice like'])
    expect(body.reactions[0].reactors[1]).toMatchObject({
      userPublicId: 'carol',
      userPublicIdId: 'carol',
      userInternalId: carol.id,
    })
    expect(body.users.map((user: { userId: string }) => user.userId).sort()).toEqual(['alice', 'bob', 'carol'])
    const named = (await list(carol, thing, { reactionName: 'love' })).body.reactions[0].reactors
    expect(named).toMatchObject([{ userId: 'bob' }])
    // One client sends a token of its own making on the first page already.
    let token = Buffer.from('{"limit":2}').toString('base64')
    const pages: string[] = []
    for (;;) {
      const page = (await list(carol, thing, { options: { token } })).body
      pages.push(...page.reactions[0].reactors.map((one: Record<string, string>) => `${one.userId} ${one.reactionName}`))
      if (!page.paging.next) break
      expect(JSON.parse(Buffer.from(page.paging.next, 'base64').toString())).toMatchObject({ limit: 2 })
      token = page.paging.next
    }
    expect(pages).toEqual(shown)
    const wrapped = (await carol.get('/api/v2/reactions', { referenceType: kind, referenceId: thing.referenceId })).body
    expect(wrapped).toMatchObject({ status: 'success', data: { reactions: body.reactions, users: body.users } })
  })

  it('are not for what is not there', async () => {
    const none = { ...(await things[kind]!()), referenceId: 'x'.repeat(900) }
    for (const answer of [await add(bob, none), await remove(bob, none), await list(bob, none)]) {
      expect([answer.status, answer.body.code]).toEqual([404, 400400])
    }
  })
}) // prettier-ignore

it('takes a removal from the query as well', async () => {
  const thing = await things.comment!()
  await add(bob, thing)
  const query = `referenceId=${thing.referenceId}&referenceType=comment&reactionName=like`
  expect((await bob.delete(`/api/v2/reactions?${query}`)).body).toHaveProperty('removedId')
})

it.each<[string, Record<string, unknown>, number]>([
  ['no name', { reactionName: undefined }, 422],
  ['no object', { referenceId: undefined }, 422],
  ['an object id too long', { referenceId: 'x'.repeat(901) }, 422],
  ['no type', { referenceType: undefined }, 422],
  ['an unknown type', { referenceType: 'user' }, 422],
  ['a story that is not there', { referenceType: 'story' }, 404],
])('refuses %s', async (_what, fields, status) => {
  const body = { referenceType: 'post', referenceId: 'x', reactionName: 'like', ...fields }
  expect((await bob.post('/api/v2/reactions', body)).status).toBe(status)
  expect((await bob.delete('/api/v2/reactions', body)).status).toBe(status)
})

it('costs as many queries for many reactors as for one', async () => {
  const thing = await things.post!()
  for (let i = 0; i < 20; i++) await add(bob, thing, `name ${i}`)
  await server.settled()
  // The least of some tries: a server does things of its own meanwhile.
  const read = async (limit: number) => {
    const tries = []
    for (let i = 0; i < 4; i++) tries.push(await countQueries(() => list(bob, thing, { options: { limit } })))
    return Math.min(...tries)
  }
  expect(await read(20)).toBe(await read(1))
})

describe('counting', () => {
  it.each([
    [{}, 'like', 1, { like: 1 }],
    [{ like: 1 }, 'like', 1, { like: 2 }],
    [{ like: 2, love: 1 }, 'like', -1, { love: 1, like: 1 }],
    [{ like: 1, love: 1 }, 'like', -1, { love: 1 }],
    [{}, 'constructor', 1, { constructor: 1 }],
    [{}, 'like', -1, {}],
  ] as const)('%j %s %d', (counts, name, delta, after) =>
    expect(countReaction(counts, name, delta)).toEqual(after),
  )
})
