import mqtt, { type MqttClient } from 'mqtt'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openChannel, createMessageFeed, sayIn } from '../../../test/factories/chat.ts'
import { eventually } from '../../../test/harness/eventually.ts'
import type { TestClient } from '../../../test/harness/client.ts'
import { startTestServer, type TestServer } from '../../../test/harness/server.ts'

let server: TestServer
let alice: TestClient
let bob: TestClient
let carol: TestClient
const open: MqttClient[] = []
beforeAll(async () => {
  server = await startTestServer()
  ;[alice, bob, carol] = await Promise.all([server.as('alice'), server.as('bob'), server.as('carol')])
})
afterAll(async () => {
  for (const client of open) client.end(true)
  await server.close()
})

const markers = '/api/v1/markers'
const read = (who: TestClient, feedId: string, readToSegment: number) =>
  who.put(`${markers}/message-feeds/${feedId}/mark-read`, { readToSegment })
const deliver = (who: TestClient, feedId: string, messageId: string) =>
  who.put(`${markers}/message-feeds/${feedId}/mark-delivering`, { messageId })
const counts = async (who: TestClient, ...messageIds: string[]) =>
  (await who.get(`${markers}/messages`, { messageIds })).body.contentMarkers.map(
    (one: { readCount: number; deliveredCount: number }) => [one.readCount, one.deliveredCount],
  )
const readers = async (who: TestClient, messageId: string, query = {}, kind = 'read') =>
  (await who.get(`${markers}/messages/${messageId}/${kind}-users`, query)).body

describe('receipts', () => {
  it('count who has read and received a message, not its author', async () => {
    const channel = await openChannel(alice, {}, bob, carol)
    const first = await sayIn(alice, channel.id)
    const second = await sayIn(bob, channel.id)
    expect(await counts(alice, first.messageId, second.messageId)).toEqual([
      [0, 0],
      [0, 0],
    ])
    expect(await deliver(carol, channel.id, second.messageId)).toMatchObject({
      status: 200,
      body: { userFeedMarkers: [{ deliveredToSegment: 2, readToSegment: 0, unreadCount: 2 }] },
    })
    await read(bob, channel.id, 2)
    await read(alice, channel.id, 2)
    expect(await counts(alice, first.messageId, second.messageId)).toEqual([
      [1, 2],
      [1, 2],
    ])
    expect((await bob.get(`${markers}/messages`, { messageIds: [second.messageId] })).body).toMatchObject({
      contentMarkers: [
        { contentId: second.messageId, feedId: channel.id, creatorId: bob.id, segment: 2, readCount: 1 },
      ],
      feedMarkers: [{ feedId: channel.id, lastSegment: 2 }],
      userMarkers: [{ userId: bob.id }],
    })
  })

  it('leave out who came later, and who has left', async () => {
    const channel = await openChannel(alice, {}, bob)
    const { messageId } = await sayIn(alice, channel.id)
    await carol.post(`/api/v3/channels/${channel.channelId}/join`)
    await read(carol, channel.id, 1)
    await read(bob, channel.id, 1)
    expect(await counts(alice, messageId)).toEqual([[1, 1]])
    await bob.delete(`/api/v3/channels/${channel.channelId}/leave`)
    expect(await counts(alice, messageId)).toEqual([[0, 0]])
    expect((await readers(alice, messageId)).publicUserIds).toEqual([])
    expect((await readers(alice, messageId, { memberships: ['non-member'] })).publicUserIds).toEqual(['bob'])
  })

  it('refuse messages of other feeds, and strangers', async () => {
    const channel = await openChannel(alice, { isPublic: false })
    const side = await createMessageFeed(alice, channel.id)
    const { messageId } = await sayIn(alice, channel.id)
    expect((await deliver(alice, side, messageId)).status).toBe(404)
    expect((await deliver(alice, channel.id, 'nowhere')).status).toBe(404)
    for (const kind of ['read', 'delivered']) {
      const path = `${markers}/messages/${messageId}/${kind}-users`
      expect(await bob.get(path)).toMatchObject({ status: 404, body: { code: 400400 } })
      expect((await alice.get(path, { memberships: ['friend'] })).status).toBe(422)
      expect((await alice.get(path, { options: { token: 'x' } })).status).toBe(400)
    }
  })

  it('list readers in pages that joined are all of them', async () => {
    const people = await Promise.all(Array.from({ length: 23 }, (_, i) => server.as(`reader${i}`)))
    const channel = await openChannel(alice, {}, ...people)
    const { messageId } = await sayIn(alice, channel.id)
    await Promise.all(people.map((one) => read(one, channel.id, 1)))
    const seen: string[] = []
    let page = await readers(alice, messageId)
    for (;;) {
      expect(page.userFeedMarkers).toHaveLength(page.publicUserIds.length)
      expect(page.users.map((user: { userId: string }) => user.userId)).toEqual(page.publicUserIds)
      seen.push(...page.publicUserIds)
      if (!page.paging.next) break
      // As the clients send it back: decoded, and without what they do not know.
      const { after } = JSON.parse(Buffer.from(page.paging.next, 'base64').toString()) as { after: unknown }
      const token = Buffer.from(JSON.stringify({ after })).toString('base64')
      expect(page.paging.next.length).toBeLessThanOrEqual(100)
      page = await readers(alice, messageId, { options: { token } })
    }
    expect(seen.toSorted()).toEqual(people.map((one) => one.userId).toSorted())
    const back = await readers(alice, messageId, { options: { token: page.paging.previous } })
    expect(back.publicUserIds).toEqual(seen.slice(10, 20))
    expect((await readers(alice, messageId, {}, 'delivered')).publicUserIds).toEqual(seen.slice(0, 10))
  })
})

interface Received {
  eventType: string
  path: string
  data: Record<string, any[]> // eslint-disable-line @typescript-eslint/no-explicit-any -- tests read what the wire holds
}

async function connect(user: TestClient) {
  const client = mqtt.connect(server.mqttUrl, {
    username: user.id,
    password: user.accessToken,
    reconnectPeriod: 0,
  })
  open.push(client)
  const received: Received[] = []
  client.on('message', (_topic, payload) => received.push(JSON.parse(payload.toString()) as Received))
  await new Promise<void>((resolve) => client.once('connect', () => resolve()))
  const mayListen = (topic: string) =>
    client.subscribeAsync(topic).then(
      ([granted]) => granted!.qos === 0,
      () => false,
    )
  return { received, mayListen }
}

describe('news of marks', () => {
  it('reach whoever follows how a feed is read', async () => {
    const channel = await openChannel(alice, {}, bob)
    const sent = [await sayIn(alice, channel.id), await sayIn(alice, channel.id)]
    const last = await sayIn(alice, channel.id)
    const { received, mayListen } = await connect(alice)
    expect(await mayListen(`hubbub/marker/channel/${channel.channelId}/message/${channel.id}`)).toBe(true)
    await read(bob, channel.id, 2)
    const event = (await eventually(() => received))[0]!
    expect(event).toMatchObject({ eventType: 'marker.marked-message', senderId: bob.id })
    expect(event.data.feedMarkers).toMatchObject([
      { feedId: channel.id, entityId: channel.id, lastSegment: 3 },
    ])
    expect(event.data.userMarkers).toEqual([])
    // The last message leads: its count is one that all others reach.
    expect(
      event.data.contentMarkers!.map((one) => [one.contentId, one.readCount, one.deliveredCount]),
    ).toEqual([
      [last.messageId, 0, 0],
      [sent[1]!.messageId, 1, 1],
      [sent[0]!.messageId, 1, 1],
    ])
    await read(bob, channel.id, 1)
    await deliver(bob, channel.id, last.messageId)
    await eventually(() => received.length > 1)
    expect(received[1]!.data.contentMarkers).toMatchObject([
      { contentId: last.messageId, readCount: 0, deliveredCount: 1 },
    ])
    await server.settled()
    expect(received).toHaveLength(2)
  })

  it("reach the reader's other devices, in the form of each client", async () => {
    const channel = await openChannel(alice, {}, bob)
    await sayIn(alice, channel.id)
    await server.settled()
    const { received, mayListen } = await connect(bob)
    expect(await mayListen(`hubbub/marker/user/${bob.id}`)).toBe(true)
    await bob.post('/api/v3/channels/seen', {
      channels: [{ channelId: channel.channelId, readToSegment: 1 }],
    })
    await eventually(() => received.length >= 3)
    expect(received.map((event) => [event.eventType, Object.keys(event.data)])).toEqual([
      ['marker.feed-updated', ['feedMarkers', 'userMarkers']],
      ['marker.userFeed-updated', ['feedMarkers', 'userFeedMarkers']],
      ['marker.user-sync', ['userMarkers', 'userEntityMarkers', 'userFeedMarkers']],
    ])
    expect(received[2]!.data).toMatchObject({
      userMarkers: [{ userId: bob.id }],
      userEntityMarkers: [{ entityId: channel.id, userId: bob.id, unreadCount: 0 }],
      userFeedMarkers: [{ feedId: channel.id, readToSegment: 1, unreadCount: 0 }],
    })
    // Nothing moved: nothing is told.
    await bob.post('/api/v3/channels/seen', {
      channels: [{ channelId: channel.channelId, readToSegment: 1 }],
    })
    await server.settled()
    expect(received).toHaveLength(3)
  })

  it('tell members that less is unread when a message is deleted', async () => {
    const channel = await openChannel(alice, {}, bob)
    const { messageId } = await sayIn(alice, channel.id)
    await server.settled()
    const { received, mayListen } = await connect(bob)
    expect(await mayListen(`hubbub/smartfeed/${bob.id}/messagefeeds`)).toBe(true)
    await alice.delete(`/api/v5/messages/${messageId}`)
    const [event] = await eventually(() => received)
    expect(event).toMatchObject({
      eventType: 'marker.feed-updated',
      data: { feedMarkers: [{ feedId: channel.id, lastSegment: 1 }], userMarkers: [] },
    })
  })

  it('are only for those who may read the feed', async () => {
    const [hidden, other] = [await openChannel(alice, { isPublic: false }), await openChannel(alice, {}, bob)]
    const topic = (channelId: string, feedId: string) =>
      `hubbub/marker/channel/${channelId}/message/${feedId}`
    const { mayListen } = await connect(bob)
    for (const [filter, allowed] of [
      [topic(other.channelId, other.id), true],
      [topic(other.channelId, hidden.id), false],
      [topic(hidden.channelId, hidden.id), false],
      [topic('+', other.id), false],
      [topic(other.channelId, '+'), false],
      ['hubbub/marker/channel/#', false],
      [`hubbub/marker/user/${alice.id}`, false],
      ['hubbub/marker/#', false],
    ] as const)
      expect([filter, await mayListen(filter)]).toEqual([filter, allowed])
  })
})
