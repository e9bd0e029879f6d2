import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createChannel, ok, say, sayIn } from '../../../test/factories/chat.ts'
import { recordFile } from '../../../test/factories/files.ts'
import type { TestClient } from '../../../test/harness/client.ts'
import { listen, type Listener } from '../../../test/harness/listener.ts'
import { startTestServer, type TestServer } from '../../../test/harness/server.ts'
import { followWebhooks, type WebhookCall } from '../../../test/harness/webhooks.ts'
import { channelsSlice } from '../channels/index.ts'
import { messageFeeds } from '../message-feeds/index.ts'
import { usersSlice } from '../users/index.ts'
import { messageEvents } from './events.ts'
import { messages } from './index.ts'

let server: TestServer
let alice: TestClient
let bob: TestClient
let inbox: Listener
let webhooks: () => Promise<WebhookCall[]>
let channel: { channelId: string; channelInternalId: string; path: string }
beforeAll(async () => {
  server = await startTestServer()
  ;[alice, bob] = await Promise.all([server.as('alice'), server.as('bob')])
  webhooks = await followWebhooks(server, [usersSlice([]), channelsSlice(), messageFeeds, messages])
  inbox = await listen(server, bob)
  channel = await createChannel(alice, { userIds: ['bob'] })
})
afterAll(async () => {
  inbox.close()
  await server.close()
})

const path = (id: string, rest = '') => `/api/v5/messages/${id}${rest}`

describe('what members hear of a message', () => {
  it('its creation, with the id its sender gave it', async () => {
    await webhooks()
    const fileId = await recordFile(server, alice)
    const sent = await sayIn(alice, channel.channelInternalId, 'hi', {
      referenceId: 'LOCAL_1',
      dataType: 'image',
      fileId,
      mentionedUsers: [{ type: 'user', userIds: ['bob'] }],
    })
    const news = await inbox.next('message.created')
    expect(news).toMatchObject({
      networkId: 'hubbub',
      path: sent.path,
      senderId: alice.id,
      version: expect.any(String),
      sendTime: expect.any(String),
    })
    // The answer without what is only its reader's: applied to what a client had, the event equals a fetch.
    const { myReactions: _mine, ...shown } = sent
    expect(news.data.messages).toEqual([shown])
    expect(news.data.users.map((user: { userId: string }) => user.userId)).toEqual(['alice', 'bob'])
    expect(news.data.files).toMatchObject([{ fileId }])
    expect(news.data.messageFeeds).toMatchObject([
      { messageFeedId: channel.channelInternalId, childCount: 1 },
    ])
    const calls = await webhooks()
    expect(calls.map(({ name }) => name)).toEqual(['message.didCreate', 'v5.message.didCreate'])
    expect(calls[0]!.data).toMatchObject({
      messages: [{ messageId: sent.messageId, type: 'image', channelId: channel.channelId }],
      users: [{ userId: 'alice' }, { userId: 'bob' }],
    })
    expect(calls[0]!.data.users[0]).not.toHaveProperty('avatarFileId')
    expect(calls[1]!.data).toMatchObject({
      messages: [{ segment: 1 }],
      messageFeeds: [{}],
      files: [{}],
      reactions: [],
    })
    expect(calls[1]!.data.messages[0]).not.toHaveProperty('referenceId')
  })

  const changes: [event: string, webhook: string[], by: 'alice' | 'bob', act: (c: TestClient, id: string) => Promise<unknown>][] = [
    ['message.updated', ['message.didUpdate', 'v5.message.didUpdate'], 'alice', (c, id) => c.put(path(id), { data: { text: 'y' } })],
    ['message.flagged', ['message.didFlag'], 'bob', (c, id) => c.post(path(id, '/flags'))],
    ['message.unflagged', ['message.didUnflag'], 'bob', (c, id) => c.delete(path(id, '/flags'))],
    ['message.flagCleared', ['message.didClearflag'], 'alice', async (c, id) => {
      await bob.post(path(id, '/flags'))
      await webhooks()
      await c.delete(path(id, '/flags/all'))
    }],
    ['message.deleted', ['message.didDelete', 'v5.message.didDelete'], 'alice', (c, id) => c.delete(path(id))],
  ] // prettier-ignore

  it('its changes, as a fetch would show them', async () => {
    const { _id } = await say(alice, channel.channelId, 'x')
    for (const [event, names, by, act] of changes) {
      await webhooks()
      const client = by === 'alice' ? alice : bob
      await act(client, _id)
      const news = await inbox.next(event)
      expect([event, news.senderId]).toEqual([event, client.id])
      const { myReactions: _mine, ...shown } = ok(await bob.get(path(_id))).messages[0]
      expect(news.data.messages).toEqual([shown])
      for (const key of ['users', 'files', 'messageFeeds']) expect(news.data[key]).toBeInstanceOf(Array)
      const calls = await webhooks()
      expect(calls.map(({ name }) => name)).toEqual(names)
      expect(calls[0]!.data.messages[0]).toMatchObject({
        _id,
        type: 'text',
        isDeleted: event === 'message.deleted',
      })
    }
  })

  it('reactions, with who reacted', async () => {
    const { messageId } = await say(alice, channel.channelId, 'x')
    const reaction = {
      referenceId: messageId,
      referenceType: 'message',
      reactionName: 'like',
      referenceVersion: 5,
    }
    await webhooks()
    await bob.post('/api/v2/reactions', reaction)
    const added = await inbox.next('message.reactionAdded')
    const reactor = { reactionName: 'like', userId: 'bob', reactionId: expect.any(String) }
    expect(added.data).toMatchObject({
      messages: [{ messageId, reactions: { like: 1 } }],
      reactions: [reactor],
    })
    expect(added.data.messages[0]).not.toHaveProperty('myReactions')
    const [call] = await webhooks()
    expect(call).toMatchObject({
      name: 'message.didAddReaction',
      data: { messages: [{ messageId }], reactor },
    })
    await bob.delete('/api/v2/reactions', reaction)
    expect((await inbox.next('message.reactionRemoved')).data).toMatchObject({
      messages: [{ reactions: {} }],
      reactions: [reactor],
    })
    expect((await webhooks())[0]).toMatchObject({ name: 'message.didRemoveReaction' })
  })

  it('its deletion by enough flags', async () => {
    const strict = await createChannel(alice, {
      userIds: ['bob'],
      messageAutoDeleteEnabled: true,
      autoDeleteMessageByFlagLimit: 1,
    })
    const { messageId } = await say(alice, strict.channelId, 'x')
    const news = await listen(server, bob)
    await bob.post(path(messageId, '/flags'))
    expect((await news.next('message.flagged')).data.messages[0].messageId).toBe(messageId)
    expect((await news.next('message.deleted')).data.messages[0].messageId).toBe(messageId)
    news.close()
  })
})

describe('who hears of it', () => {
  it('nobody twice, in the order it was said, however much is said at once', async () => {
    const busy = await createChannel(alice, { userIds: ['bob'] })
    const everywhere = await listen(server, bob, [`hubbub/smartfeed/${bob.id}/messages`, `${busy.path}/#`])
    await Promise.all(Array.from({ length: 100 }, (_, i) => say(i % 2 ? alice : bob, busy.channelId, `${i}`)))
    await server.settled()
    for (let i = 0; i < 100; i++) await everywhere.next('message.created')
    const created = everywhere.heard.filter((news) => news.eventType === 'message.created')
    const segments = created.map((news) => news.data.messages[0].segment)
    expect(segments).toEqual(Array.from({ length: 100 }, (_, i) => i + 1))
    everywhere.close()
  })

  it('of live channels who subscribed, to the channel, the feed or the message', async () => {
    const live = await createChannel(alice, { type: 'live', userIds: ['bob'] })
    const feed = `${live.path}/${live.channelInternalId}`
    const subscribed = await Promise.all(
      [`${live.path}/#`, `${feed}/#`, `${feed}/+`].map((topic) => listen(server, bob, [topic])),
    )
    const said = await say(alice, live.channelId, 'on air')
    for (const one of subscribed) expect((await one.next('message.created')).path).toBe(said.path)
    await server.settled()
    expect(inbox.heard.some((news) => news.path === said.path)).toBe(false)
    subscribed.forEach((one) => one.close())
  })

  it('not who left, from then on', async () => {
    const left = await createChannel(alice, { userIds: ['bob'] })
    await bob.delete(`/api/v3/channels/${left.channelId}/leave`)
    await inbox.next('channel.left')
    const said = await say(alice, left.channelId, 'unheard')
    await server.settled()
    expect(inbox.heard.some((news) => news.path === said.path)).toBe(false)
  })

  it('one stored event for a message, however many members', async () => {
    const { channelId } = await createChannel(alice, { userIds: ['bob'] })
    const count = async () =>
      (
        await server.app.db
          .selectFrom('outboxEvents')
          .select((e) => e.fn.countAll<number>().as('n'))
          .executeTakeFirstOrThrow()
      ).n
    const before = await count()
    await say(alice, channelId, 'x')
    expect((await count()) - before).toBe(1)
  })
})

it('every event has been told by some test', async () => {
  const told = await server.app.db.selectFrom('outboxEvents').select('name').distinct().execute()
  const names = new Set(told.map((row) => row.name))
  expect(messageEvents.map((event) => event.name).filter((name) => !names.has(name))).toEqual([])
})
