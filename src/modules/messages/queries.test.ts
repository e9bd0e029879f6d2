import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  channelPath,
  converse,
  createChannel,
  ok,
  refusal,
  say,
  sayIn,
} from '../../../test/factories/chat.ts'
import type { TestClient } from '../../../test/harness/client.ts'
import { countQueries } from '../../../test/harness/count-queries.ts'
import { startTestServer, type TestServer } from '../../../test/harness/server.ts'

let server: TestServer
let alice: TestClient
let bob: TestClient
let carol: TestClient
let admin: TestClient
let channelId: string
let feedId: string
let sideId: string
/** Message ids by segment; the second is a reply to the first, the fifth is deleted, the sixth in the side feed. */
const ids: string[] = ['']
beforeAll(async () => {
  server = await startTestServer()
  ;[alice, bob, carol, admin] = await Promise.all([
    server.as('alice'),
    server.as('bob'),
    server.as('carol'),
    server.asAdmin(),
  ])
  const channel = await createChannel(alice, { userIds: ['bob'] })
  channelId = channel.channelId
  feedId = channel.channelInternalId
  const side = ok(await alice.post('/api/v5/message-feeds', { channelId: feedId, name: 'side' }))
  sideId = side.messageFeeds[0].messageFeedId
  const send = async (target: string, text: string, fields = {}, client = alice) =>
    void ids.push((await sayIn(client, target, text, fields)).messageId)
  await send(feedId, 'one', { tags: ['a'] })
  await send(feedId, 'two', { parentId: ids[1], tags: ['b'] }, bob)
  await send(feedId, 'three', { dataType: 'custom', tags: ['a', 'b'] })
  await send(feedId, 'four', { messageId: undefined }, bob)
  await send(feedId, 'five')
  await send(sideId, 'six')
  await send(feedId, 'seven', { tags: ['c'] })
  await alice.delete(`/api/v5/messages/${ids[5]}`)
  await bob.post(`/api/v5/messages/${ids[3]}/flags`)
})
afterAll(() => server.close())

type Asked = Record<string, unknown>
const segments = (body: { messages: { segment?: number; channelSegment?: number }[] }) =>
  body.messages.map((message) => message.segment ?? message.channelSegment)
const query = async (asked: Asked = {}, client = bob) =>
  ok(await client.get('/api/v5/messages', { messageFeedId: feedId, ...asked }))
const queryV3 = async (asked: Asked = {}) => ok(await bob.get('/api/v3/messages', { channelId, ...asked }))

describe('the messages of a feed', () => {
  it.each([
    ['newest first', {}, [7, 5, 4, 3, 2, 1]],
    ['oldest first', { options: { sortBy: 'segmentAsc' } }, [1, 2, 3, 4, 5, 7]],
    ['without the deleted', { isDeleted: false }, [7, 4, 3, 2, 1]],
    ['the deleted', { isDeleted: true }, [5]],
    ['replies', { parentId: 1 }, [2]],
    ['no replies', { filterByParentId: true }, [7, 5, 4, 3, 1]],
    ['with a tag', { includeTags: ['a', 'c'] }, [7, 3, 1]],
    ['without a tag', { excludeTags: ['b'] }, [7, 5, 4, 1]],
    ['with and without', { includeTags: ['a'], excludeTags: ['b'] }, [1]],
    ['flagged', { hasFlags: true }, [3]],
    ['unflagged', { hasFlags: false }, [7, 5, 4, 2, 1]],
    ['of a type', { dataType: 'custom' }, [3]],
    ['of another feed', { messageFeedId: 'side' }, [6]],
    ['after one', { options: { after: 4 } }, [3, 2, 1]],
    ['before one', { options: { before: 3, limit: 2 } }, [5, 4]],
    ['after one, oldest first', { options: { after: 3, sortBy: 'segmentAsc' } }, [4, 5, 7]],
    ['around one', { options: { around: 4, limit: 3 } }, [5, 4, 3]],
    ['around one, oldest first', { options: { around: 4, limit: 4, sortBy: 'segmentAsc' } }, [2, 3, 4, 5]],
    ['around the last', { options: { around: 7, limit: 3 } }, [7, 5]],
  ])('%s', async (_name, { options = {}, parentId, messageFeedId, ...asked }: Asked, expected) => {
    const named = Object.fromEntries(
      Object.entries(options as Asked).map(([key, value]) =>
        key === 'limit' || key === 'sortBy' ? [key, value] : [key, ids[value as number]],
      ),
    )
    const body = await query({
      ...asked,
      ...(parentId !== undefined && { parentId: ids[parentId as number] }),
      ...(messageFeedId !== undefined && { messageFeedId: sideId }),
      options: named,
    })
    expect(segments(body)).toEqual(expected)
  })

  it('pages joined are the whole, both ways, and while messages come', async () => {
    const channel = await createChannel(alice, { userIds: ['bob'] })
    const busy = channel.channelInternalId
    for (let i = 0; i < 7; i++) await say(alice, channel.channelId, `${i}`)
    const page = (options: Asked) => query({ messageFeedId: busy, options })
    const first = await page({ limit: 3 })
    await say(bob, channel.channelId, 'meanwhile')
    const second = await page({ token: first.paging.next })
    const third = await page({ token: second.paging.next })
    expect([first, second, third].flatMap(segments)).toEqual([7, 6, 5, 4, 3, 2, 1])
    expect(third.paging.next).toBeUndefined()
    expect(segments(await page({ token: second.paging.previous }))).toEqual([7, 6, 5])
    const middle = await page({ around: first.messages[2].messageId, limit: 2 })
    expect(segments(middle)).toEqual([6, 5])
    expect(segments(await page({ token: middle.paging.next }))).toEqual([4, 3])
    expect(segments(await page({ token: middle.paging.previous }))).toEqual([8, 7])
    for (const token of [first.paging.next, middle.paging.next]) expect(token.length).toBeLessThanOrEqual(100)
  })

  it.each([
    ['no feed', { messageFeedId: undefined }, [422, 500000]],
    ['an unknown feed', { messageFeedId: 'nowhere' }, [404, 400400]],
    ['a limit of 101', { options: { limit: 101 } }, [422, 500000]],
    ['a limit of 0', { options: { limit: 0 } }, [422, 500000]],
    ['11 tags', { includeTags: Array(11).fill('t') }, [422, 500000]],
    ['an unknown message', { options: { after: 'unknown' } }, [404, 400400]],
    ['a message of another feed', { options: { around: 6 } }, [404, 400400]],
    ['an unknown parent', { parentId: 'unknown' }, [404, 400400]],
    ['an unknown order', { options: { sortBy: 'size' } }, [422, 500000]],
    ['a broken token', { options: { token: 'bm9wZQ==' } }, [400, 400000]],
    [
      'a token of another list',
      { options: { token: Buffer.from('{"after":["a","b"]}').toString('base64') } },
      [400, 400000],
    ],
  ])('refuse %s', async (_name, asked: Asked, expected) => {
    const options = asked.options as Asked | undefined
    if (options?.around === 6) options.around = ids[6]
    expect(refusal(await bob.get('/api/v5/messages', { messageFeedId: feedId, ...asked }))).toEqual(expected)
  })

  it('ask the database as often for one message as for many', async () => {
    const cost = (limit: number) => countQueries(() => query({ options: { limit } }))
    expect(await cost(1)).toBeGreaterThan(3)
    expect(await cost(100)).toBe(await cost(1))
  })
})

describe('the messages of a channel, older form', () => {
  it.each([
    ['the newest, oldest first', {}, [1, 2, 3, 4, 5, 6, 7]],
    ['the last ones', { options: { last: 2 } }, [6, 7]],
    ['the first ones', { options: { first: 2 } }, [1, 2]],
    ['after a segment', { options: { after: 3, first: 2 } }, [4, 5]],
    ['before a segment', { options: { before: 4, last: 2 } }, [2, 3]],
    ['replies', { parentId: 1 }, [2]],
    ['no replies', { filterByParentId: true }, [1, 3, 4, 5, 6, 7]],
    ['of a type', { type: 'custom' }, [3]],
    ['flagged', { hasFlag: true }, [3]],
    ['not deleted', { isDeleted: false }, [1, 2, 3, 4, 6, 7]],
    ['with a tag', { tags: ['c'] }, [7]],
    ['without a tag', { excludeTags: ['a', 'b', 'c'] }, [4, 5, 6]],
  ])('%s', async (_name, { parentId, ...asked }: Asked, expected) => {
    const named = parentId === undefined ? {} : { parentId: ids[parentId as number] }
    expect(segments(await queryV3({ ...asked, ...named }))).toEqual(expected)
  })

  it('pages joined are the whole', async () => {
    const first = await queryV3({ options: { first: 3 } })
    const second = await queryV3({ options: { token: first.paging.next } })
    const third = await queryV3({ options: { token: second.paging.next } })
    expect([first, second, third].flatMap(segments)).toEqual([1, 2, 3, 4, 5, 6, 7])
    expect((await bob.get('/api/v3/messages', {})).status).toBe(422)
    expect((await bob.get('/api/v3/messages', { channelId: 'nowhere' })).status).toBe(404)
  })
})

describe('messages by id', () => {
  it('come in the order asked, without the unknown, the repeated and the hidden', async () => {
    const hidden = await converse(alice, ['carol'])
    const secret = await say(alice, hidden.channelId, 'secret')
    const messageIds = [ids[4], 'unknown', ids[1], secret.messageId, ids[4]]
    expect(segments(ok(await bob.get('/api/v5/messages/list', { messageIds })))).toEqual([4, 1])
    expect(segments(ok(await bob.get('/api/v3/messages/list', { messageIds })))).toEqual([4, 1])
    expect(refusal(await bob.get(`/api/v5/messages/${secret.messageId}`))).toEqual([404, 400400])
    expect(segments(ok(await carol.get(`/api/v3/messages/${secret.messageId}`)))).toEqual([1])
  })

  it.each([
    [10, 200],
    [11, 422],
    [0, 422],
  ])('%i of them: %i', async (n, status) => {
    expect(
      (await bob.get('/api/v5/messages/list', { messageIds: Array(n).fill('x'.repeat(30)) })).status,
    ).toBe(status)
  })

  it('have at most 30 characters in the newer form and 150 in the older', async () => {
    expect((await bob.get('/api/v5/messages/list', { messageIds: ['x'.repeat(31)] })).status).toBe(422)
    expect((await bob.get('/api/v3/messages/list', { messageIds: ['x'.repeat(150)] })).status).toBe(200)
  })
})

describe('what a user wrote', () => {
  it('is found by either id, newest first, where the reader may read', async () => {
    const open = await createChannel(carol)
    const hidden = await createChannel(carol, { isPublic: false })
    const [first, second] = [await say(carol, open.channelId, 'a'), await say(carol, open.channelId, 'b')]
    const secret = await say(carol, hidden.channelId, 'c')
    const list = async (client: TestClient, id: string, asked: Asked = {}) =>
      ok(await client.get(`/api/v5/messages/user/${id}`, asked)).messages.map(
        (one: { messageId: string }) => one.messageId,
      )
    for (const id of ['carol', carol.id])
      expect((await list(bob, id)).filter((one: string) => one !== secret.messageId)).toEqual([
        second.messageId,
        first.messageId,
      ])
    expect(await list(bob, 'carol')).not.toContain(secret.messageId)
    expect(await list(carol, 'carol')).toContain(secret.messageId)
    expect(await list(admin, 'carol', { channelId: hidden.channelInternalId })).toEqual([secret.messageId])
    expect(
      refusal(await bob.get('/api/v5/messages/user/carol', { channelId: hidden.channelInternalId })),
    ).toEqual([404, 400400])
    expect(await list(bob, 'carol', { options: { after: second.messageId } })).toEqual([first.messageId])
    expect(await list(bob, 'carol', { hasFlags: true })).toEqual([])
    const page = ok(await bob.get('/api/v5/messages/user/carol', { options: { limit: 1 } }))
    const next = ok(await bob.get('/api/v5/messages/user/carol', { options: { token: page.paging.next } }))
    expect(next.messages[0].messageId).toBe(first.messageId)
  })
})

describe('searching messages', () => {
  let searched: { channelId: string; channelInternalId: string }
  beforeAll(async () => {
    searched = await createChannel(carol, { userIds: ['bob'] })
    const says = async (text: string, fields = {}) =>
      void (await say(carol, searched.channelId, text, fields))
    await says('The quick brown fox', { tags: ['animals'] })
    await says('brown bears and a QUICK nap')
    await says('100% sure')
    await says('今日は天気がいい')
    await says('x', { type: 'image', data: { caption: 'a brown picture' } })
    const gone = await say(carol, searched.channelId, 'quick but deleted')
    await carol.delete(`/api/v3/messages/${gone.messageId}`)
  })
  const search = async (client: TestClient, asked: Asked) =>
    ok(await client.get('/api/v2/search/messages', asked))
  const inChannel = (asked: Asked) => search(bob, { channelId: searched.channelId, ...asked })

  it.each([
    ['all words, in any case and order', { query: 'QUICK brown' }, [2, 1]],
    ['the very phrase', { query: 'quick brown', exactMatch: true }, [1]],
    ['signs as they are', { query: '0%' }, [3]],
    ['languages without spaces', { query: '天気' }, [4]],
    ['captions', { query: 'picture' }, [5]],
    ['oldest first', { query: 'brown', options: { orderBy: 'asc' } }, [1, 2, 5]],
    ['with a tag', { query: 'brown', tags: ['animals'] }, [1]],
    ['nothing', { query: '   ' }, []],
  ])('finds %s', async (_name, asked, expected) => {
    const body = await inChannel(asked)
    expect(segments(body.data)).toEqual(expected)
    expect(body.search).toMatchObject({ query: asked.query })
  })

  it('in a feed, in all of mine, in none that is hidden', async () => {
    expect(segments(await search(bob, { query: 'fox', messageFeedId: searched.channelInternalId }))).toEqual([
      1,
    ])
    expect(segments(await search(bob, { query: 'fox' }))).toEqual([1])
    expect(segments(await search(alice, { query: 'fox' }))).toEqual([])
    expect(segments(await search(alice, { query: 'fox', channelId: searched.channelId }))).toEqual([1])
    const hidden = await createChannel(carol, { isPublic: false })
    expect(
      refusal(await bob.get('/api/v2/search/messages', { query: 'x', channelId: hidden.channelId })),
    ).toEqual([404, 400400])
    expect((await bob.get('/api/v2/search/messages', {})).status).toBe(422)
  })

  it('pages through what it finds', async () => {
    const first = await inChannel({ query: 'brown', options: { limit: 2 } })
    const second = await inChannel({ query: 'brown', options: { token: first.paging.next } })
    expect([first, second].flatMap(segments)).toEqual([5, 2, 1])
    expect(second.paging.next).toBeUndefined()
    const mine = await search(bob, { query: 'brown', options: { limit: 2 } })
    const rest = await search(bob, { query: 'brown', options: { token: mine.paging.next } })
    expect([mine, rest].flatMap(segments)).toEqual([5, 2, 1])
  })

  it('reads so far and says where to go on', async () => {
    const { channelInternalId, channelId: big } = await createChannel(bob)
    await say(bob, big, 'needle')
    // 20,000 messages later.
    await sql`
      insert into messages (id, channel_id, message_feed_id, segment, creator_id, data_type, created_at, updated_at)
      select 'hay-' || n, ${channelInternalId}, ${channelInternalId}, n, ${bob.id}, 'text', now(), now()
      from generate_series(2, 20001) n`.execute(server.app.db)
    const first = await search(bob, { query: 'needle', channelId: big })
    expect(segments(first)).toEqual([])
    const second = await search(bob, {
      query: 'needle',
      channelId: big,
      options: { token: first.paging.next },
    })
    expect(segments(second)).toEqual([1])
    expect(second.paging.next).toBeUndefined()
  })
})

describe('the messages with the most reactions', () => {
  it('come first, of all names or of one, where the reader may read', async () => {
    const { channelId: liked } = await createChannel(alice, { userIds: ['bob', 'carol'] })
    const [one, two] = [await say(alice, liked, 'one'), await say(alice, liked, 'two')]
    const react = (client: TestClient, referenceId: string, reactionName: string) =>
      client.post('/api/v2/reactions', { referenceId, referenceType: 'message', reactionName })
    await react(bob, one.messageId, 'like')
    await react(carol, one.messageId, 'like')
    await react(bob, two.messageId, 'love')
    const most = async (asked: Asked) =>
      ok(await bob.get('/api/v2/reactions/messages/most', asked)).map(
        (message: { messageId: string }) => message.messageId,
      )
    expect(await most({})).toEqual([one.messageId, two.messageId])
    expect(await most({ reactionName: 'love' })).toEqual([two.messageId])
    expect(await most({ limit: 1 })).toEqual([one.messageId])
    await bob.delete(channelPath(liked, '/leave'))
    expect(await most({})).toHaveLength(2)
  })
})
