import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { openChannel, createMessageFeed, sayIn } from '../../../test/factories/chat.ts'
import type { TestClient } from '../../../test/harness/client.ts'
import { startTestServer, type TestServer } from '../../../test/harness/server.ts'
import { setClock } from '../../platform/clock.ts'

let server: TestServer
let alice: TestClient
let bob: TestClient
let time = Date.now()
beforeAll(async () => {
  server = await startTestServer()
  ;[alice, bob] = await Promise.all([server.as('alice'), server.as('bob')])
  setClock(() => time)
})
afterEach(() => void (time += 10_000))
afterAll(async () => {
  setClock()
  await server.close()
})

const markers = '/api/v1/markers'
const feeds = `${markers}/message-feeds`
const unread = async (who: TestClient, feedId: string) =>
  (await who.get(feeds, { messageFeedIds: [feedId] })).body.userFeedMarkers[0].unreadCount
const sync = async (who: TestClient, deviceLastSyncAt?: string) =>
  (await who.post(`${markers}/sync`, { deviceLastSyncAt })).body

describe('reading sessions', () => {
  it('read what is there, and what comes as long as the client says that it reads', async () => {
    const channel = await openChannel(alice, {}, bob)
    await sayIn(alice, channel.id)
    const started = await bob.post(`${feeds}/${channel.id}/start-reading`)
    expect(started).toMatchObject({
      status: 200,
      body: { userFeedMarkers: [{ unreadCount: 0, readToSegment: 1 }] },
    })
    await sayIn(alice, channel.id)
    time += 30_000
    await bob.post(`${feeds}/reading`, { messageFeedIds: [channel.id] })
    expect(await unread(bob, channel.id)).toBe(0)
    time += 59_000
    await sayIn(alice, channel.id)
    await sync(bob)
    expect(await unread(bob, channel.id)).toBe(0)
    await sayIn(alice, channel.id)
    time += 1_000
    await sync(bob)
    expect(await unread(bob, channel.id)).toBe(1)
  })

  it.each(['stop-reading', 'stop-readings'])('end with %s', async (stop) => {
    const channel = await openChannel(alice, {}, bob)
    const side = await createMessageFeed(alice, channel.id)
    await bob.post(`${feeds}/${channel.id}/start-reading`)
    await sayIn(alice, channel.id)
    await sayIn(alice, side)
    expect(await bob.post(`${feeds}/${channel.id}/${stop}`)).toMatchObject({
      status: 200,
      body: { userFeedMarkers: [{ feedId: channel.id, unreadCount: 0 }] },
    })
    await sayIn(alice, channel.id)
    await sync(bob)
    expect([await unread(bob, channel.id), await unread(bob, side)]).toEqual([1, 1])
    // What came after the client had gone was not seen by it.
    await bob.post(`${feeds}/${side}/start-reading`)
    time += 61_000
    await sayIn(alice, side)
    await bob.post(`${feeds}/${side}/${stop}`)
    expect(await unread(bob, side)).toBe(1)
  })

  it('take up to 100 feeds', async () => {
    const ids = (n: number) => Array.from({ length: n }, (_, i) => `feed${i}`)
    expect((await bob.post(`${feeds}/reading`, { messageFeedIds: ids(100) })).status).toBe(200)
    expect((await bob.post(`${feeds}/reading`, { messageFeedIds: [] })).status).toBe(200)
    for (const wrong of [{ messageFeedIds: ids(101) }, {}, { messageFeedIds: 'x' }])
      expect((await bob.post(`${feeds}/reading`, wrong)).status).toBe(422)
  })
})

describe('marker sync', () => {
  it('answers what changed since a device looked, and then nothing', async () => {
    const dora = await server.as('dora')
    const channel = await openChannel(alice, {}, dora)
    const quiet = await openChannel(alice, {}, dora)
    time += 5_000
    const { body } = await dora.get(`${markers}/userMarker`)
    const start = body.userMarkers[0].lastSyncAt
    expect((await sync(dora, start)).feedMarkers).toEqual([])
    time += 5_000
    await sayIn(alice, channel.id)
    const changed = await sync(dora, start)
    expect(changed).toMatchObject({
      userMarkers: [{ unreadCount: 1 }],
      userEntityMarkers: [{ entityId: channel.id, unreadCount: 1 }],
      userFeedMarkers: [{ feedId: channel.id, unreadCount: 1 }],
      feedMarkers: [{ feedId: channel.id, lastSegment: 1 }],
      contentMarkers: [],
    })
    // The clients ask again every two seconds until nothing comes.
    let since = changed.userMarkers[0].lastSyncAt
    for (let i = 0; i < 2; i++) {
      time += 2_000
      since = (await sync(dora, since)).userMarkers[0].lastSyncAt
    }
    expect((await sync(dora, since)).feedMarkers).toEqual([])
    for (const change of [
      () => dora.put(`${feeds}/${channel.id}/mark-read`, { readToSegment: 1 }),
      async () => alice.delete(`/api/v5/messages/${(await sayIn(alice, channel.id)).messageId}`),
      () => dora.delete(`/api/v3/channels/${channel.channelId}/leave`),
    ]) {
      time += 5_000
      await change()
      const told = await sync(dora, since)
      expect(told).toMatchObject({ userFeedMarkers: [{ feedId: channel.id, unreadCount: 0 }] })
      time += 5_000
      since = (await sync(dora, told.userMarkers[0].lastSyncAt)).userMarkers[0].lastSyncAt
    }
    expect(
      (await sync(dora)).userFeedMarkers.map((one: { feedId: string }) => one.feedId).toSorted(),
    ).toEqual([channel.id, quiet.id].toSorted())
  })

  it('takes a clock that is ahead, and none that is nonsense', async () => {
    const eve = await server.as('eve')
    const channel = await openChannel(alice, {}, eve)
    const ahead = new Date(time + 3_600_000).toISOString()
    await sayIn(alice, channel.id)
    expect((await sync(eve, ahead)).feedMarkers).toMatchObject([{ feedId: channel.id }])
    expect((await eve.post(`${markers}/sync`, { deviceLastSyncAt: 'yesterday' })).status).toBe(422)
  })

  it('goes through many changes in pages without losing one', async () => {
    const fred = await server.as('fred')
    const channel = await openChannel(alice, {}, fred)
    const base = {
      channelId: channel.id,
      name: 'many',
      creatorId: alice.id,
    }
    time += 5_000
    // Each three at one moment, so that pages would end among equals.
    const rows = Array.from({ length: 250 }, (_, i) => {
      const at = new Date(time - 4_000 + Math.floor(i / 3))
      return { ...base, id: `many-${i}`, lastMessageTimestamp: at, createdAt: at, updatedAt: at }
    })
    await server.app.db.insertInto('messageFeeds').values(rows).execute()
    time += 5_000
    const seen = new Set<string>()
    let since = new Date(time - 9_001).toISOString()
    let pages = 0
    for (;;) {
      const page = await sync(fred, since)
      if (page.feedMarkers.length === 0) break
      for (const { feedId } of page.feedMarkers) seen.add(feedId)
      since = page.userMarkers[0].lastSyncAt
      expect(++pages).toBeLessThan(6)
    }
    expect([seen.size, pages]).toEqual([250, 3])
  })
})
