import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { openChannel } from '../../../test/factories/chat.ts'
import type { TestClient } from '../../../test/harness/client.ts'
import { startTestServer, type TestServer } from '../../../test/harness/server.ts'
import { inTransaction } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import { setClock } from '../../platform/clock.ts'
import { heartbeatInRoom } from './actions.ts'
import { countRoom, listRoomViewers } from './queries.ts'
import type { WatchedRooms } from './room.ts'

let server: TestServer
let alice: TestClient
let bob: TestClient
let carol: TestClient
let time = Date.now()
beforeAll(async () => {
  server = await startTestServer()
  ;[alice, bob, carol] = await Promise.all([server.as('alice'), server.as('bob'), server.as('carol')])
  setClock(() => time)
})
// What one test heard is forgotten by the next.
afterEach(() => void (time += 120_000))
afterAll(async () => {
  setClock()
  await server.close()
})

const presence = '/api/v1/presence'
const beat = (who: TestClient) => who.post(`${presence}/heartbeat`)
const online = async (query = {}) =>
  (await alice.get(`${presence}/network/users`, query)).body.presences.map(
    (one: { userId: string }) => one.userId,
  )
const count = async () => (await alice.get(`${presence}/network/users/count`)).body.count
const iso = () => new Date(time).toISOString()

describe('users', () => {
  it('are online from a heartbeat on for as long as the next is due, and a little longer', async () => {
    expect(await online()).toEqual([])
    expect(await beat(bob)).toMatchObject({ status: 202, body: { success: true } })
    time += 1_000
    await beat(carol)
    expect((await alice.get(`${presence}/network/users`)).body).toEqual({
      presences: [
        { userId: 'carol', lastHeartbeat: iso() },
        { userId: 'bob', lastHeartbeat: new Date(time - 1_000).toISOString() },
      ],
    })
    expect(await online({ orderBy: 'asc' })).toEqual(['bob', 'carol'])
    expect((await alice.get(`${presence}/network/users/count`)).body).toEqual({
      count: 2,
      referenceTimeStamp: iso(),
      referenceTimestamp: iso(),
    })
    time += 73_999
    expect([await online(), await count()]).toEqual([['carol', 'bob'], 2])
    time += 1
    expect([await online(), await count()]).toEqual([['carol'], 1])
    await beat(bob)
    expect(await online()).toEqual(['bob', 'carol'])
  })

  it('are told when they were last heard of, in the order asked', async () => {
    await beat(bob)
    const at = iso()
    time += 600_000
    const { body } = await alice.get(`${presence}/users/list`, { userIds: ['alice', 'nobody', 'bob', 'bob'] })
    expect(body).toEqual({ presences: [{ userId: 'alice' }, { userId: 'bob', lastHeartbeat: at }] })
    const ids = (n: number, length = 1) =>
      Array.from({ length: n }, (_, i) => String(i).padStart(length, 'x'))
    const list = (userIds?: string[]) => alice.get(`${presence}/users/list`, { userIds })
    expect((await list(ids(220))).status).toBe(200)
    expect((await list(ids(1, 300))).status).toBe(200)
    for (const wrong of [ids(221), ids(1, 301), undefined]) expect((await list(wrong)).status).toBe(422)
    expect((await alice.get(`${presence}/network/users`, { orderBy: 'up' })).status).toBe(422)
  })

  it('may choose not to be seen', async () => {
    await beat(bob)
    const created = (await bob.get(`${presence}/settings`)).body
    expect(created).toEqual({
      user: { enabled: true, enabledAt: expect.any(String) },
      network: {
        enabled: true,
        heartbeatInterval: 1,
        presenceSyncInterval: 1,
        updatedAt: expect.any(String),
      },
    })
    const choose = (enabled: unknown) => bob.put(`${presence}/settings/user`, { enabled })
    expect((await choose(false)).body).toEqual({ enabled: false })
    expect(await online()).toEqual([])
    expect(await beat(bob)).toMatchObject({ status: 403, body: { code: 400300 } })
    expect((await alice.get(`${presence}/users/list`, { userIds: ['bob'] })).body.presences).toEqual([
      { userId: 'bob' },
    ])
    expect((await bob.get(`${presence}/settings`)).body.user).toEqual({ enabled: false })
    expect((await choose(true)).body).toEqual({ enabled: true, enabledAt: iso() })
    await beat(bob)
    expect(await online()).toEqual(['bob'])
    for (const wrong of ['yes please', null, undefined]) expect((await choose(wrong)).status).toBe(422)
  })

  it('do not see those whom they blocked or who blocked them', async () => {
    await Promise.all([beat(alice), beat(bob), beat(carol)])
    await bob.post('/api/v4/me/user-blocks/alice')
    expect((await online()).toSorted()).toEqual(['alice', 'carol'])
    expect((await alice.get(`${presence}/users/list`, { userIds: ['bob'] })).body.presences).toEqual([
      { userId: 'bob' },
    ])
    await bob.delete('/api/v4/me/user-blocks/alice')
    expect((await online()).toSorted()).toEqual(['alice', 'bob', 'carol'])
  })

  it('are shown by nobody when the network switches presence off', async () => {
    const admin = await server.asAdmin()
    await admin.put('/api/v3/network-settings/presence', { enabled: false })
    for (const path of ['network/users', 'network/users/count'])
      expect(await alice.get(`${presence}/${path}`)).toMatchObject({ status: 403, body: { code: 400300 } })
    expect((await beat(alice)).status).toBe(403)
    await admin.put('/api/v3/network-settings/presence', { enabled: true, heartbeatInterval: 5 })
    await beat(alice)
    time += 300_000
    expect(await online()).toEqual(['alice'])
    await admin.put('/api/v3/network-settings/presence', { heartbeatInterval: 1 })
    expect(await online()).toEqual([])
  })
})

describe('members of a channel', () => {
  it('are online when their user is', async () => {
    const channel = await openChannel(alice, { isPublic: false, userIds: ['bob'] })
    await Promise.all([beat(bob), beat(carol)])
    for (const id of [channel.id, channel.channelId]) {
      const path = `${presence}/channels/${id}/users`
      expect((await alice.get(path)).body.presences).toEqual([{ userId: 'bob', lastHeartbeat: iso() }])
      expect((await alice.get(`${path}/count`)).body).toMatchObject({ count: 1 })
      expect((await carol.get(path)).status).toBe(404)
      expect((await carol.get(`${path}/count`)).status).toBe(404)
    }
  })
})

describe('viewers of a room', () => {
  const rooms: WatchedRooms = {
    resolve: async (_db, _viewer, roomId) => (roomId === 'open' ? 'r1' : fail('notFound', 'room')),
  }
  const watch = (who: TestClient, room = 'open') =>
    inTransaction(server.app.db, (tx) => heartbeatInRoom(tx, viewerOf(who), rooms, room))
  const viewerOf = ({ id, userId }: TestClient): Viewer => ({
    id,
    userId,
    kind: 'signed-in',
    roles: [],
    permissions: new Set(),
    sessionId: 's',
  })
  const viewers = () => listRoomViewers(server.app.db, viewerOf(alice), rooms, 'open')

  it('are those who lately said so, since when they came', async () => {
    await watch(bob)
    const came = new Date(time)
    time += 10_000
    await watch(carol)
    time += 50_000
    await watch(bob)
    expect(await viewers()).toEqual({
      viewers: [
        { userId: 'carol', joinedAt: new Date(came.getTime() + 10_000) },
        { userId: 'bob', joinedAt: came },
      ],
      limit: 100,
      total: 2,
    })
    time += 30_000
    expect(await countRoom(server.app.db, viewerOf(alice), rooms, 'open')).toEqual({
      count: 1,
      at: new Date(time),
    })
    time += 60_000
    await watch(bob)
    expect((await viewers()).viewers).toEqual([{ userId: 'bob', joinedAt: new Date(time) }])
  })

  it('are forgotten, and rooms that are not there have none', async () => {
    await watch(bob)
    time += 2 * 86_400_000
    await watch(carol)
    const rows = await server.app.db.selectFrom('roomPresences').select('userId').execute()
    expect(rows).toEqual([{ userId: carol.id }])
    await expect(watch(bob, 'closed')).rejects.toMatchObject({ reason: 'notFound' })
    // Through the operations a room is one that was made.
    for (const path of ['users', 'users/count'])
      expect((await bob.get(`${presence}/rooms/open/${path}`)).status).toBe(404)
    expect((await bob.post(`${presence}/rooms/open/heartbeat`)).status).toBe(404)
  })
})
