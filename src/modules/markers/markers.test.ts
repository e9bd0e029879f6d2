import { describe, expect, it } from 'vitest'
import { openChannel, createMessageFeed, sayIn } from '../../../test/factories/chat.ts'
import { countQueries } from '../../../test/harness/count-queries.ts'
import type { TestClient } from '../../../test/harness/client.ts'
import { startWithPeople } from '../../../test/harness/people.ts'

const { server, alice, bob, carol } = await startWithPeople()

const markers = '/api/v1/markers'
const iso = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
const empty = {
  userMarkers: expect.any(Array),
  userEntityMarkers: [],
  userFeedMarkers: [],
  feedMarkers: [],
  contentMarkers: [],
}

/** How many messages a reader has before them in a channel, as each kind of client reckons. */
async function unreadFor(reader: TestClient, { id, channelId }: { id: string; channelId: string }) {
  const entity = (await reader.get(`${markers}/channels`, { channelIds: [id] })).body.userEntityMarkers[0]
  const feeds = (await reader.get(`${markers}/user-message-feed`, { channelIds: [id] })).body
  const last = new Map<string, number>(
    feeds.feedMarkers.map((one: { feedId: string; lastSegment: number }) => [one.feedId, one.lastSegment]),
  )
  const list = (await reader.get('/api/v3/channels/list', { channelIds: [channelId] })).body
  const own = list.channelUsers.find((one: { userId: string }) => one.userId === reader.userId)
  return {
    marker: entity.unreadCount,
    mentioned: entity.isMentioned,
    byFeeds: feeds.userFeedMarkers
      .map((one: { feedId: string; readToSegment: number }) => last.get(one.feedId)! - one.readToSegment)
      .reduce((sum: number, one: number) => sum + Math.max(0, one), 0),
    byChannel: list.channels[0].messageCount - own.readToSegment,
    mentionedByChannel: own.lastMentionedSegment > own.readToSegment,
  }
}
const all = (n: number, mentioned = false) => ({
  marker: n,
  mentioned,
  byFeeds: n,
  byChannel: n,
  mentionedByChannel: mentioned,
})

describe('what is unread', () => {
  it('is the same for every kind of client, without own and deleted messages', async () => {
    const channel = await openChannel(alice, {}, bob)
    await sayIn(alice, channel.id)
    const second = await sayIn(alice, channel.id)
    await sayIn(bob, channel.id)
    const last = await sayIn(alice, channel.id)
    expect(await unreadFor(bob, channel)).toEqual(all(3))
    await alice.delete(`/api/v5/messages/${second.messageId}`)
    await alice.delete(`/api/v5/messages/${last.messageId}`)
    expect(await unreadFor(bob, channel)).toEqual(all(1))
    expect(await unreadFor(alice, channel)).toEqual(all(1))
  })

  it('counts from joining, and not after leaving', async () => {
    const channel = await openChannel(alice)
    await sayIn(alice, channel.id)
    await bob.post(`/api/v3/channels/${channel.channelId}/join`)
    expect(await unreadFor(bob, channel)).toEqual(all(0))
    await sayIn(alice, channel.id)
    expect(await unreadFor(bob, channel)).toEqual(all(1))
    await bob.delete(`/api/v3/channels/${channel.channelId}/leave`)
    const { body } = await bob.get(`${markers}/channels`, { channelIds: [channel.id] })
    expect(body.userEntityMarkers).toMatchObject([{ unreadCount: 0, membership: 'non-member' }])
  })

  it('tells of mentions until they are read or taken back', async () => {
    const channel = await openChannel(alice, {}, bob)
    const mentionedUsers = [{ type: 'user', userIds: ['bob'] }]
    const first = await sayIn(alice, channel.id, 'hello', { mentionedUsers })
    const second = await sayIn(alice, channel.id, 'hello', { mentionedUsers: [{ type: 'channel' }] })
    await sayIn(alice, channel.id)
    expect(await unreadFor(bob, channel)).toEqual(all(3, true))
    await alice.delete(`/api/v5/messages/${second.messageId}`)
    expect(await unreadFor(bob, channel)).toEqual(all(2, true))
    await bob.put(`${markers}/message-feeds/${channel.id}/mark-read`, { readToSegment: first.segment })
    expect(await unreadFor(bob, channel)).toEqual(all(1))
  })

  it('is not kept for live chats', async () => {
    const channel = await openChannel(alice, { type: 'live' }, bob)
    await sayIn(alice, channel.id)
    const { body } = await bob.get(`${markers}/channels`, { channelIds: [channel.id] })
    expect(body.userEntityMarkers).toMatchObject([{ unreadCount: 0, isMentioned: false }])
  })

  it('is read feed by feed, and by the whole channel', async () => {
    const channel = await openChannel(alice, {}, bob)
    const side = await createMessageFeed(alice, channel.id)
    for (const feed of [channel.id, side, channel.id, side, side]) await sayIn(alice, feed)
    expect(await unreadFor(bob, channel)).toEqual(all(5))
    await bob.put(`${markers}/message-feeds/${side}/mark-read`, { readToSegment: 4 })
    expect((await unreadFor(bob, channel)).marker).toBe(3)
    await bob.put(`${markers}/message-feeds/${channel.id}/mark-read`, { readToSegment: 3 })
    expect(await unreadFor(bob, channel)).toEqual(all(1))
    await alice.delete(`/api/v5/message-feeds/${side}`)
    expect(await unreadFor(bob, channel)).toEqual(all(0))
    await sayIn(alice, channel.id)
    await bob.post('/api/v3/channels/seen', {
      channels: [{ channelId: channel.channelId, readToSegment: 6 }],
    })
    expect(await unreadFor(bob, channel)).toEqual(all(0))
  })

  it('adds up over all channels', async () => {
    const before = (await carol.get(`${markers}/userMarker`)).body.userMarkers[0]
    expect(before).toEqual({
      userId: carol.id,
      unreadCount: 0,
      isMentioned: false,
      lastSyncAt: iso,
      createdAt: iso,
      updatedAt: iso,
    })
    const [one, two] = [await openChannel(alice, {}, carol), await openChannel(bob, {}, carol)]
    await sayIn(alice, one.id)
    await sayIn(bob, two.id, 'hello', { mentionedUsers: [{ type: 'channel' }] })
    const { body } = await carol.get(`${markers}/userMarker`)
    expect(body.userMarkers).toMatchObject([{ unreadCount: 2, isMentioned: true }])
  })
})

describe('marks', () => {
  it('only move up, and not beyond the last message', async () => {
    const channel = await openChannel(alice, {}, bob)
    for (let i = 0; i < 3; i++) await sayIn(alice, channel.id)
    const mark = (readToSegment: unknown) =>
      bob.put(`${markers}/message-feeds/${channel.id}/mark-read`, { readToSegment })
    expect((await mark(2)).body.userFeedMarkers).toMatchObject([{ readToSegment: 2, unreadCount: 1 }])
    expect((await mark(1)).body.userFeedMarkers).toMatchObject([{ readToSegment: 2, unreadCount: 1 }])
    expect((await mark(0)).status).toBe(200)
    expect((await mark(Number.MAX_SAFE_INTEGER)).body.userFeedMarkers).toMatchObject([{ readToSegment: 3 }])
    await sayIn(alice, channel.id)
    expect(await unreadFor(bob, channel)).toEqual(all(1))
    for (const wrong of [-1, 1.5, 'x', null, Number.MAX_SAFE_INTEGER + 1])
      expect((await mark(wrong)).status).toBe(422)
  })

  it('answers all five kinds, with all their fields', async () => {
    const channel = await openChannel(alice, {}, bob)
    await sayIn(alice, channel.id)
    const { status, body } = await bob.put(`${markers}/channels/${channel.id}/mark-read`)
    expect(status).toBe(200)
    expect(body).toEqual({
      userMarkers: [expect.objectContaining({ userId: bob.id })],
      userEntityMarkers: [
        {
          userId: bob.id,
          entityId: channel.id,
          unreadCount: 0,
          isMentioned: false,
          isDeleted: false,
          membership: 'member',
          createdAt: iso,
          updatedAt: iso,
        },
      ],
      userFeedMarkers: [
        {
          userId: bob.id,
          entityId: channel.id,
          feedId: channel.id,
          readToSegment: 1,
          deliveredToSegment: 1,
          unreadCount: 0,
          oldUnreadCount: 0,
          lastMentionSegment: 0,
          isMentioned: false,
          createdAt: iso,
          updatedAt: iso,
        },
      ],
      feedMarkers: [
        {
          feedId: channel.id,
          entityId: channel.id,
          lastSegment: 1,
          isDeleted: false,
          createdAt: iso,
          updatedAt: iso,
        },
      ],
      contentMarkers: [],
    })
  })

  it('are refused to those who are not members, and hidden from those who may not look', async () => {
    const open = await openChannel(alice)
    const closed = await openChannel(alice, { isPublic: false })
    const attempts = (id: string, channelId: string) =>
      [
        ['put', `${markers}/channels/${id}/mark-read`, {}],
        ['put', `${markers}/message-feeds/${id}/mark-read`, { readToSegment: 1 }],
        ['put', `${markers}/message-feeds/${id}/mark-delivering`, { messageId: 'x' }],
        ['post', `${markers}/message-feeds/${id}/start-reading`, {}],
        ['post', `${markers}/message-feeds/${id}/stop-reading`, {}],
        ['post', `/api/v3/channels/${channelId}/seen`, { readToSegment: 1 }],
      ] as const
    for (const [method, path, body] of attempts(open.id, open.channelId))
      expect([path, await bob[method](path, body)]).toMatchObject([
        path,
        { status: 403, body: { code: 400301 } },
      ])
    for (const [method, path, body] of [
      ...attempts(closed.id, closed.channelId),
      ...attempts('nowhere', 'nowhere'),
    ])
      expect([path, await bob[method](path, body)]).toMatchObject([
        path,
        { status: 404, body: { code: 400400 } },
      ])
    // Those who ask about many are not held up by one.
    const seen = [open, closed].map(({ channelId }) => ({ channelId, readToSegment: 1 }))
    const unnamed = { readToSegment: 1 }
    const some = await bob.post('/api/v3/channels/seen', { channels: [unnamed, ...seen] })
    expect(some.body).toEqual({ success: true })
    const reading = await bob.post(`${markers}/message-feeds/reading`, {
      messageFeedIds: [open.id, closed.id],
    })
    expect(reading).toMatchObject({ status: 200, body: { userFeedMarkers: [] } })
    for (const [path, query] of [
      ['channels', { channelIds: [closed.id, 'nowhere'] }],
      ['user-message-feed', { channelIds: [closed.id, 'nowhere'] }],
      ['message-feeds', { messageFeedIds: [closed.id, 'nowhere'] }],
      ['messages', { messageIds: ['nowhere'] }],
    ] as const)
      expect((await bob.get(`${markers}/${path}`, query)).body).toMatchObject(empty)
  })

  it('set at once from many devices end at the highest', async () => {
    const channel = await openChannel(alice, {}, bob)
    const side = await createMessageFeed(alice, channel.id)
    for (let i = 0; i < 12; i++) await sayIn(alice, i % 2 ? side : channel.id)
    const answers = await Promise.all(
      [7, 2, 12, 5, 11, 3].flatMap((readToSegment, i) => [
        bob.put(`${markers}/message-feeds/${i % 2 ? side : channel.id}/mark-read`, { readToSegment }),
        bob.post(`/api/v3/channels/${channel.channelId}/seen`, { readToSegment: readToSegment - 2 }),
        sayIn(bob, side),
      ]),
    )
    for (const answer of answers) if ('status' in answer) expect(answer.status).toBe(200)
    // The default feed is read to 12 at least by one of the marks, the other to 10 by a mark in the channel.
    expect(await unreadFor(bob, channel)).toMatchObject({ marker: 1 })
  })
})

describe('asking for markers', () => {
  it('takes up to 100 ids', async () => {
    const ids = (n: number) => Array.from({ length: n }, (_, i) => `id-${i}`)
    for (const [path, name] of [
      ['channels', 'channelIds'],
      ['user-message-feed', 'channelIds'],
      ['message-feeds', 'messageFeedIds'],
      ['messages', 'messageIds'],
    ] as const) {
      expect((await alice.get(`${markers}/${path}`, { [name]: ids(100) })).status).toBe(200)
      expect((await alice.get(`${markers}/${path}`, { [name]: ids(101) })).status).toBe(422)
      expect((await alice.get(`${markers}/${path}`)).status).toBe(422)
    }
  })

  it('pages feeds by the tokens that clients build', async () => {
    const channel = await openChannel(alice)
    const feeds = [
      channel.id,
      await createMessageFeed(alice, channel.id),
      await createMessageFeed(alice, channel.id),
    ]
    const token = (page: unknown) => Buffer.from(JSON.stringify(page)).toString('base64')
    const ask = async (given?: string) =>
      (await alice.get(`${markers}/message-feeds`, { messageFeedIds: feeds, options: { token: given } })).body
    const ids = (body: { userFeedMarkers: { feedId: string }[] }) =>
      body.userFeedMarkers.map((one) => one.feedId)
    const whole = await ask(token({ skip: 0, limit: 100 }))
    expect([ids(whole), whole.paging]).toEqual([feeds, {}])
    expect(ids(await ask())).toEqual(feeds)
    const first = await ask(token({ skip: 0, limit: 2 }))
    expect(ids(first)).toEqual(feeds.slice(0, 2))
    const next = await ask(first.paging.next)
    expect([ids(next), next.paging.next]).toEqual([feeds.slice(2), undefined])
    expect(ids(await ask(next.paging.previous))).toEqual(feeds.slice(0, 2))
    for (const wrong of [
      '%',
      token({ skip: -1, limit: 1 }),
      token({ limit: 0 }),
      token(null),
      token({ limit: 101 }),
    ])
      expect(
        (await alice.get(`${markers}/message-feeds`, { messageFeedIds: feeds, options: { token: wrong } }))
          .status,
      ).toBe(400)
  })

  it('costs as many queries for many channels as for one', async () => {
    const channels: { id: string }[] = []
    for (let i = 0; i < 20; i++) channels.push(await openChannel(alice))
    const asked = (n: number) => ({ channelIds: channels.slice(0, n).map(({ id }) => id) })
    // The dispatcher asks for events now and then: the least of some counts is the operation's own.
    const count = async (path: string, n: number) => {
      const counts = []
      for (let i = 0; i < 4; i++)
        counts.push(await countQueries(() => alice.get(`${markers}/${path}`, asked(n))))
      return Math.min(...counts)
    }
    await server.settled()
    for (const path of ['channels', 'user-message-feed'])
      expect(await count(path, 20)).toEqual(await count(path, 1))
  })
})
