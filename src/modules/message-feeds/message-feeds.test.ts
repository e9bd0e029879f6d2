import { beforeAll, describe, expect, it } from 'vitest'
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
import { listen } from '../../../test/harness/listener.ts'
import { startWithPeople } from '../../../test/harness/people.ts'

const { server, alice, bob, carol, admin } = await startWithPeople()

const base = '/api/v5/message-feeds'
const idsOf = (body: { messageFeeds: { messageFeedId: string }[] }) =>
  body.messageFeeds.map((feed) => feed.messageFeedId)
const addFeed = async (client: TestClient, channelId: string, name: string) =>
  ok(await client.post(base, { channelId, name })).messageFeeds[0]

describe('making and changing a feed', () => {
  it('answers every field', async () => {
    const channel = await createChannel(alice, { channelId: 'with feeds' })
    const feed = await addFeed(alice, channel.channelInternalId, 'Side talk')
    expect(feed).toEqual({
      messageFeedId: expect.stringMatching(/^[0-9a-f]{24}$/),
      channelId: channel.channelInternalId,
      channelPublicId: 'with feeds',
      channelType: 'community',
      name: 'Side talk',
      creatorId: alice.id,
      creatorPublicId: 'alice',
      path: `${channel.path}/${feed.messageFeedId}`,
      lastMessageId: null,
      messagePreviewId: null,
      childCount: 0,
      isDeleted: false,
      lastMessageTimestamp: feed.createdAt,
      editedAt: null,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    })
    const renamed = ok(await alice.put(`${base}/${feed.messageFeedId}`, { name: 'Main talk' }))
      .messageFeeds[0]
    expect(renamed).toMatchObject({ name: 'Main talk', editedAt: expect.any(String) })
    expect(ok(await bob.get(`${base}/${feed.messageFeedId}`)).messageFeeds).toEqual([renamed])
  })

  it.each([
    ['a name of 100', { name: 'x'.repeat(100) }, 200],
    ['a name of 101', { name: 'x'.repeat(101) }, 422],
    ['an empty name', { name: '' }, 422],
    ['no name', {}, 422],
  ])('judges %s', async (_name, fields, status) => {
    const { channelInternalId } = await createChannel(alice)
    expect((await alice.post(base, { channelId: channelInternalId, ...fields })).status).toBe(status)
  })

  it('is for moderators and, once made, for the maker; in conversations for all in them', async () => {
    const { channelInternalId } = await createChannel(alice, { userIds: ['bob'] })
    expect(refusal(await bob.post(base, { channelId: channelInternalId, name: 'x' }))).toEqual([403, 400301])
    const feed = await addFeed(admin, channelInternalId, 'by admin')
    expect(refusal(await bob.put(`${base}/${feed.messageFeedId}`, { name: 'x' }))).toEqual([403, 400301])
    expect(refusal(await bob.delete(`${base}/${feed.messageFeedId}`))).toEqual([403, 400301])
    const conversation = await converse(alice, ['bob'])
    expect((await addFeed(bob, conversation.channelInternalId, 'ours')).creatorPublicId).toBe('bob')
    expect(refusal(await carol.post(base, { channelId: conversation.channelInternalId, name: 'x' }))).toEqual(
      [404, 400400],
    )
    expect(refusal(await alice.post(base, { channelId: 'nowhere', name: 'x' }))).toEqual([404, 400400])
  })

  it('deletes a feed with what was said there, never the default one', async () => {
    const { channelInternalId } = await createChannel(alice, { userIds: ['bob'] })
    const feed = await addFeed(alice, channelInternalId, 'short-lived')
    const said = await sayIn(bob, feed.messageFeedId, 'x')
    expect(
      ok(await alice.delete(`${base}/${feed.messageFeedId}?permanent=true`)).messageFeeds[0].isDeleted,
    ).toBe(true)
    expect(ok(await bob.get(`${base}/${feed.messageFeedId}`)).messageFeeds[0].isDeleted).toBe(true)
    for (const act of [
      () => bob.get('/api/v5/messages', { messageFeedId: feed.messageFeedId }),
      () => bob.get(`/api/v5/messages/${said.messageId}`),
      () => bob.post('/api/v5/messages', { messageFeedId: feed.messageFeedId, dataType: 'text', data: {} }),
      () => alice.put(`${base}/${feed.messageFeedId}`, { name: 'again' }),
    ])
      expect(refusal(await act())).toEqual([404, 400400])
    expect((await alice.get('/api/v5/messages', { messageFeedId: feed.messageFeedId })).status).toBe(200)
    expect(refusal(await alice.delete(`${base}/${channelInternalId}`))).toEqual([403, 400300])
  })
})

describe('the feeds of a channel', () => {
  let channelId: string
  let ids: string[]
  beforeAll(async () => {
    channelId = (await createChannel(alice, { userIds: ['bob'] })).channelInternalId
    ids = []
    for (let i = 0; i < 5; i++) ids.push((await addFeed(alice, channelId, `feed ${i}`)).messageFeedId)
    // The first feed gets the newest message.
    await sayIn(bob, ids[0]!, 'newest')
    await alice.delete(`${base}/${ids[4]!}`)
  })
  const list = async (asked: object = {}) => ok(await bob.get(`${base}/channel/${channelId}`, asked as never))
  const newestFirst = () => [ids[0]!, ids[3]!, ids[2]!, ids[1]!, channelId]

  it('come with the newest messages first, their last messages and their number', async () => {
    const body = await list()
    expect(idsOf(body)).toEqual(newestFirst())
    expect(body.paging.total).toBe(5)
    expect(body.messages).toMatchObject([
      { messageFeedId: ids[0], data: { text: 'newest' }, isDeleted: false },
    ])
    expect(body.messages[0].messageId).toBe(body.messageFeeds[0].lastMessageId)
    expect(body.users.map((user: { userId: string }) => user.userId).toSorted()).toEqual(['alice', 'bob'])
  })

  it.each([
    ['lastContentTimestampDesc', false],
    ['lastMessageTimestampDesc', false],
    ['lastMessageTimestampAsc', true],
  ])('sort by %s', async (sortBy, ascending) => {
    const expected = ascending ? newestFirst().toReversed() : newestFirst()
    expect(idsOf(await list({ options: { sortBy } }))).toEqual(expected)
  })

  it('page by token, after and before a feed; pages joined are the whole', async () => {
    const first = await list({ options: { limit: 2 } })
    expect(first.paging).toMatchObject({ total: 5, next: expect.any(String) })
    expect(first.paging.next.length).toBeLessThanOrEqual(100)
    const second = await list({ options: { token: first.paging.next } })
    const third = await list({ options: { token: second.paging.next } })
    expect([first, second, third].flatMap(idsOf)).toEqual(newestFirst())
    expect(third.paging).not.toHaveProperty('next')
    expect(idsOf(await list({ options: { token: second.paging.previous } }))).toEqual(idsOf(first))
    expect(idsOf(await list({ options: { after: ids[3] } }))).toEqual(newestFirst().slice(2))
    expect(idsOf(await list({ options: { before: ids[2], limit: 1 } }))).toEqual([ids[3]])
    expect(idsOf(await list({ options: { limit: 0 } }))).toEqual([])
    expect(refusal(await bob.get(`${base}/channel/${channelId}`, { options: { after: 'unknown' } }))).toEqual(
      [404, 400400],
    )
  })

  it('can leave out the default one, and be the deleted ones', async () => {
    expect(idsOf(await list({ excludeDefaultMessageFeed: true }))).toEqual(newestFirst().slice(0, 4))
    const deleted = await list({ isDeleted: true })
    expect(idsOf(deleted)).toEqual([ids[4]])
    expect(deleted.paging.total).toBe(1)
  })

  it.each([
    ['a limit of 101', { options: { limit: 101 } }],
    ['an unknown order', { options: { sortBy: 'size' } }],
    ['a long token', { options: { token: 'x'.repeat(101) } }],
    ['a long after', { options: { after: 'x'.repeat(31) } }],
  ])('refuse %s', async (_name, asked) => {
    expect(refusal(await bob.get(`${base}/channel/${channelId}`, asked))).toEqual([422, 500000])
  })

  it('are hidden with the channel', async () => {
    const hidden = await createChannel(alice, { isPublic: false })
    expect(refusal(await bob.get(`${base}/channel/${hidden.channelInternalId}`))).toEqual([404, 400400])
    expect((await bob.get(`${base}/channel/${'x'.repeat(31)}`)).status).toBe(422)
    expect(refusal(await bob.get(`${base}/${hidden.channelInternalId}`))).toEqual([404, 400400])
    const asked = { messageFeedIds: [hidden.channelInternalId, ids[1], 'unknown', ids[0]] }
    expect(idsOf(ok(await bob.get(`${base}/list`, asked)))).toEqual([ids[1], ids[0]])
    expect((await bob.get(`${base}/list`, { messageFeedIds: Array(11).fill('x') })).status).toBe(422)
  })

  it('are found by who made them, where one may read', async () => {
    const maker = await server.as('maker')
    const open = await createChannel(maker, { displayName: 'open' })
    const hidden = await createChannel(maker, { isPublic: false })
    const made = await addFeed(maker, open.channelInternalId, 'made')
    for (const id of ['maker', maker.id]) {
      const body = ok(await bob.get(`${base}/user/${id}`))
      expect(idsOf(body).toSorted()).toEqual([made.messageFeedId, open.channelInternalId].toSorted())
    }
    expect(idsOf(ok(await maker.get(`${base}/user/maker`)))).toContain(hidden.channelInternalId)
    expect(idsOf(ok(await bob.get(`${base}/user/nobody`)))).toEqual([])
  })
})

describe('counts and events', () => {
  it('count what is not deleted, under concurrent senders', async () => {
    const { channelId, channelInternalId } = await createChannel(alice, { userIds: ['bob'] })
    const sent = await Promise.all(
      Array.from({ length: 30 }, (_, i) => say(i % 2 ? alice : bob, channelId, `${i}`)),
    )
    await Promise.all(
      sent
        .slice(0, 10)
        .flatMap((message) => [
          admin.delete(`/api/v5/messages/${message.messageId}`),
          alice.delete(`/api/v3/messages/${message.messageId}`),
        ]),
    )
    const feed = ok(await bob.get(`${base}/${channelInternalId}`)).messageFeeds[0]
    expect(feed.childCount).toBe(20)
    expect(ok(await bob.get(channelPath(channelId))).channels[0].messageCount).toBe(30)
  })

  it('tell members of each change', async () => {
    const { channelInternalId, path } = await createChannel(alice, { userIds: ['bob'] })
    const inbox = await listen(server, bob)
    const feed = await addFeed(alice, channelInternalId, 'told')
    await alice.put(`${base}/${feed.messageFeedId}`, { name: 'retold' })
    await alice.delete(`${base}/${feed.messageFeedId}`)
    for (const name of ['message-feed.created', 'message-feed.updated', 'message-feed.deleted']) {
      const news = await inbox.next(name)
      expect(news.path).toBe(`${path}/${feed.messageFeedId}`)
      expect(news.data).toMatchObject({
        messageFeeds: [{ messageFeedId: feed.messageFeedId }],
        messages: [],
        users: [{ userId: 'alice' }],
      })
    }
    inbox.close()
  })
})
