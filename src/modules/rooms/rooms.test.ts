import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { uploadPicture } from '../../../test/factories/posts.ts'
import { createRoom, readRoom, roomPath, rooms } from '../../../test/factories/rooms.ts'
import type { TestClient } from '../../../test/harness/client.ts'
import { listen } from '../../../test/harness/listener.ts'
import { startTestServer, type TestServer } from '../../../test/harness/server.ts'

let server: TestServer
let alice: TestClient
let bob: TestClient
let admin: TestClient
beforeAll(async () => {
  server = await startTestServer()
  ;[alice, bob, admin] = await Promise.all([server.as('alice'), server.as('bob'), server.asAdmin()])
})
afterAll(() => server.close())

const nobody = '0'.repeat(24)

/** Brings a room on the air as its media would. */
async function putOnAir(roomId: string): Promise<void> {
  await server.app.db
    .updateTable('rooms')
    .set({ status: 'live', liveAt: new Date(), seenAt: new Date(), hasMedia: true })
    .where('id', '=', roomId)
    .execute()
}

describe('making a room', () => {
  it('answers everything it was given, with its host and its live channel', async () => {
    const thumbnailFileId = await uploadPicture(alice)
    const { status, body } = await alice.post(rooms, {
      title: 'Title',
      description: 'Words',
      thumbnailFileId,
      metadata: { any: ['thing'] },
      liveChatEnabled: true,
      type: 'directStreaming',
    })
    expect(status).toBe(200)
    const [room] = body.rooms
    const { roomId, createdAt, moderationId, liveChannelId } = room
    expect(room).toEqual({
      _id: roomId,
      roomId,
      type: 'directStreaming',
      status: 'idle',
      title: 'Title',
      description: 'Words',
      thumbnailFileId,
      metadata: { any: ['thing'] },
      createdBy: 'alice',
      creatorInternalId: alice.id,
      liveChatEnabled: true,
      liveChannelEnabled: true,
      liveChannelId: expect.stringMatching(/^[0-9a-f]{24}$/),
      participants: [{ type: 'host', userId: 'alice', userInternalId: alice.id, canManageProductTags: true }],
      livePlaybackUrl: null,
      liveThumbnailUrl: null,
      recordedPlaybackInfos: [],
      durationSeconds: null,
      parentRoomId: null,
      childRoomIds: [],
      referenceId: null,
      referenceType: null,
      targetId: null,
      targetType: null,
      targetVisibility: null,
      moderationId,
      moderation: { flagLabels: [], terminateLabels: [], updatedAt: createdAt },
      path: `hubbub/room/${roomId}`,
      isDeleted: false,
      deletedBy: null,
      liveAt: null,
      endedAt: null,
      recordedAt: null,
      deletedAt: null,
      createdAt,
      updatedAt: createdAt,
    })
    expect(body).toMatchObject({ roomChildrens: [], users: [{ userId: 'alice' }] })
    expect(body.files.map((file: { fileId: string }) => file.fileId)).toEqual([thumbnailFileId])
    const channel = await bob.get(`/api/v3/channels/${liveChannelId}`)
    expect(channel.body.channels[0]).toMatchObject({ type: 'live', attachedTo: { roomId } })
    expect((await bob.get(roomPath(roomId))).body.rooms[0]).toEqual(room)
  })

  it('makes no channel when there shall be no chat, until it is switched on', async () => {
    const { roomId, liveChannelId } = await createRoom(alice, { liveChatEnabled: false })
    expect(liveChannelId).toBeNull()
    const channel = { type: 'live', roomId }
    expect((await alice.post('/api/v3/channels', channel)).body.code).toBe(400900)
    const { body } = await alice.put(roomPath(roomId), { liveChatEnabled: true })
    expect(body.rooms[0]).toMatchObject({ liveChatEnabled: true, liveChannelEnabled: true })
    const made = body.rooms[0].liveChannelId
    expect(made).toBeTruthy()
    const off = await alice.put(roomPath(roomId), { liveChatEnabled: false })
    expect(off.body.rooms[0]).toMatchObject({ liveChannelId: null, liveChatEnabled: false })
    expect((await alice.get(`/api/v3/channels/${made}`)).body.channels[0].isDeleted).toBe(true)
  })

  it.each([
    ['a title of 1000', { title: 'x'.repeat(1000) }, 200],
    ['a title of 1001', { title: 'x'.repeat(1001) }, 422],
    ['no title', { title: undefined }, 422],
    ['a description of 5000', { description: 'x'.repeat(5000) }, 200],
    ['a description of 5001', { description: 'x'.repeat(5001) }, 422],
    ['a thumbnail id of 51', { thumbnailFileId: 'x'.repeat(51) }, 422],
    ['an unknown thumbnail', { thumbnailFileId: nobody }, 404],
    ['a parent id of 51', { parentRoomId: 'x'.repeat(51) }, 422],
    ['an unknown parent', { parentRoomId: nobody }, 404],
    ['an unknown type', { type: 'other' }, 422],
    ['metadata that is no map', { metadata: 'x' }, 422],
    ['co-hosts without a server for them', { type: 'coHosts' }, 400],
  ])('%s', async (_what, fields, status) => {
    const answer = await alice.post(rooms, { title: 'Room', ...fields })
    expect(answer.status).toBe(status)
    if (status === 400) expect(answer.body.code).toBe(400501)
  })

  it('makes at most two children of a room, which are shown with it', async () => {
    const parent = await createRoom(alice)
    const add = (client = alice, parentRoomId = parent.roomId) => client.post(rooms, { title: 'Child', parentRoomId })
    expect((await add(bob)).body.code).toBe(400301)
    const answers = await Promise.all([add(), add(), add()])
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, 200, 400])
    const { body } = await bob.get(roomPath(parent.roomId))
    expect(body.rooms[0].childRoomIds).toHaveLength(2)
    expect(body.roomChildrens.map((room: { parentRoomId: string }) => room.parentRoomId)).toEqual([
      parent.roomId,
      parent.roomId,
    ])
    const child = body.rooms[0].childRoomIds[0]
    expect((await add(alice, child)).status).toBe(400)
    expect((await alice.put(roomPath(parent.roomId), { parentRoomId: parent.roomId })).status).toBe(400)
    expect((await createRoom(alice, { parentRoomId: null })).parentRoomId).toBeNull()
    await alice.delete(roomPath(parent.roomId))
    expect(await readRoom(alice, child)).toMatchObject({ isDeleted: true })
  }) // prettier-ignore

  it('becomes the child of another room later', async () => {
    const [parent, child] = [await createRoom(alice), await createRoom(alice)]
    const { body } = await alice.put(roomPath(child.roomId), { parentRoomId: parent.roomId })
    expect(body.rooms[0].parentRoomId).toBe(parent.roomId)
    expect((await alice.put(roomPath(parent.roomId), { parentRoomId: child.roomId })).status).toBe(400)
  })

  it('is refused when video streaming is switched off', async () => {
    await admin.put('/api/v3/network-settings/video-streaming', { enabled: false })
    const answer = await alice.post(rooms, { title: 'Room' })
    await admin.put('/api/v3/network-settings/video-streaming', { enabled: true })
    expect(answer.body.code).toBe(400300)
  })
})

describe('a room', () => {
  it('is changed by its host and administrators, who hear of it', async () => {
    const { roomId, updatedAt } = await createRoom(alice)
    const news = await listen(server, bob, [`hubbub/room/${roomId}`])
    const changes = { title: 'New', description: null, metadata: { a: 1 }, thumbnailFileId: '' }
    expect((await bob.put(roomPath(roomId), changes)).body.code).toBe(400301)
    const { body } = await alice.put(roomPath(roomId), changes)
    expect(body.rooms[0]).toMatchObject({ title: 'New', description: null, metadata: { a: 1 } })
    expect(body.rooms[0].updatedAt >= updatedAt).toBe(true)
    const told = await news.next('room.didUpdate')
    news.close()
    expect(told.data.rooms[0]).toMatchObject({ roomId, title: 'New', participants: [{ userId: 'alice' }] })
    expect(told.data.users[0].userId).toBe('alice')
    expect((await admin.put(roomPath(roomId), { title: 'Again' })).status).toBe(200)
    expect((await alice.put(roomPath(nobody), { title: 'x' })).status).toBe(404)
  })

  it('tells its host where to stream, and nobody else', async () => {
    const { roomId } = await createRoom(alice)
    const { body } = await alice.get(roomPath(roomId, '/token'))
    expect(body.directStreamUrl).toMatch(
      new RegExp(`^rtmp://127.0.0.1:\\d+/live/room-${roomId}\\?key=[\\w-]{32}$`),
    )
    expect(JSON.stringify(await readRoom(alice, roomId))).not.toContain(body.directStreamUrl.split('key=')[1])
    expect((await bob.get(roomPath(roomId, '/token'))).body.code).toBe(400301)
    await alice.post(roomPath(roomId, '/stop'))
    expect((await alice.get(roomPath(roomId, '/token'))).body.code).toBe(400900)
  })

  it('stops for good', async () => {
    const { roomId } = await createRoom(alice)
    await putOnAir(roomId)
    const news = await listen(server, bob, [`hubbub/room/${roomId}`])
    expect((await bob.post(roomPath(roomId, '/stop'))).body.code).toBe(400301)
    const { body } = await alice.post(roomPath(roomId, '/stop'))
    expect(body.rooms[0]).toMatchObject({ status: 'ended', durationSeconds: 0, livePlaybackUrl: null })
    expect((await news.next('room.endBroadcasting')).data.rooms[0]).toMatchObject({ status: 'ended' })
    expect((await alice.post(roomPath(roomId, '/stop'))).body.rooms[0].endedAt).toBe(body.rooms[0].endedAt)
    expect(news.names()).toEqual(['room.endBroadcasting'])
    news.close()
    expect((await alice.get(roomPath(roomId, '/recorded'))).status).toBe(404)
  })

  it('is left by nobody but co-hosts', async () => {
    const { roomId } = await createRoom(alice)
    expect((await alice.post(roomPath(roomId, '/leave'))).body.code).toBe(400900)
    expect((await bob.post(roomPath(roomId, '/leave'))).body).toEqual({ success: true })
    expect((await bob.post(roomPath(nobody, '/leave'))).status).toBe(404)
    expect((await alice.delete(roomPath(roomId, '/participants/alice'))).status).toBe(400)
    expect((await alice.delete(roomPath(roomId, '/participants/bob'))).status).toBe(404)
    expect((await bob.delete(roomPath(roomId, '/participants/alice'))).body.code).toBe(400301)
    const body = { canManageProductTags: true }
    expect((await alice.put(roomPath(roomId, '/participants/bob'), body)).status).toBe(404)
    expect((await alice.put(roomPath(roomId, '/participants/bob'), {})).status).toBe(422)
  })

  it('is deleted with its channel, and stays readable as deleted', async () => {
    const { roomId, liveChannelId } = await createRoom(alice)
    expect((await bob.delete(roomPath(roomId))).body.code).toBe(400301)
    expect((await alice.delete(roomPath(roomId))).body).toEqual({ success: true })
    expect(await readRoom(bob, roomId)).toMatchObject({
      isDeleted: true,
      deletedBy: 'alice',
      deletedAt: expect.any(String),
      status: 'ended',
    })
    expect((await alice.get(`/api/v3/channels/${liveChannelId}`)).body.channels[0].isDeleted).toBe(true)
    expect((await alice.delete(roomPath(roomId))).status).toBe(404)
    expect((await alice.get(roomPath(roomId, '/token'))).status).toBe(404)
  })

  it('is watched with a signed address, but not by those banned from its chat', async () => {
    const { roomId, liveChannelId } = await createRoom(alice)
    await putOnAir(roomId)
    const { livePlaybackUrl, liveThumbnailUrl } = await readRoom(bob, roomId)
    expect(livePlaybackUrl).toMatch(
      new RegExp(`^${server.url}/live/room-${roomId}/index.m3u8\\?viewer=${bob.id}&`),
    )
    expect(liveThumbnailUrl).toContain(`/live/room-${roomId}/thumbnail.jpg?viewer=`)
    // Signed for this viewer; nothing is published, so there is nothing behind it.
    expect((await fetch(livePlaybackUrl)).status).toBe(404)
    expect((await fetch(livePlaybackUrl.split('?')[0])).status).toBe(403)
    await bob.post(`/api/v3/channels/${liveChannelId}/join`)
    await alice.put(`/api/v3/channels/${liveChannelId}/users/ban`, { userIds: ['bob'] })
    expect(await readRoom(bob, roomId)).toMatchObject({ livePlaybackUrl: null, liveThumbnailUrl: null })
    expect((await bob.post(`/api/v1/presence/rooms/${roomId}/heartbeat`)).body.code).toBe(400304)
    expect((await alice.post(roomPath(roomId, '/stop'))).status).toBe(200)
  })

  it('knows who watches it', async () => {
    const { roomId } = await createRoom(alice)
    const presence = `/api/v1/presence/rooms/${roomId}`
    expect((await bob.post(`${presence}/heartbeat`)).status).toBe(200)
    expect((await alice.get(`${presence}/users`)).body).toMatchObject({
      viewers: [{ userId: 'bob' }],
      total: 1,
    })
    expect((await alice.get(`${presence}/users/count`)).body.count).toBe(1)
    expect((await bob.post(`/api/v1/presence/rooms/${nobody}/heartbeat`)).status).toBe(404)
  })

  it('hears how long it was watched', async () => {
    const { roomId } = await createRoom(alice)
    await putOnAir(roomId)
    const report = (fields: object) =>
      bob.post('/api/v3/user-event/room', {
        signature: 's',
        nonceStr: 'n',
        timestamp: new Date().toISOString(),
        rooms: [{ roomId, sessionId: 'one', startTime: '2026-01-01T10:00:00.000Z', ...fields }],
      })
    const ten = { endTime: '2026-01-01T10:00:10.000Z', watchSeconds: 10 }
    expect((await report(ten)).body).toEqual({ ok: true })
    await report({ endTime: '', watchSeconds: 20 })
    await report(ten)
    await report({ endTime: '2026-01-01T09:00:00.000Z', watchSeconds: 5, sessionId: 'backwards' })
    await report({ ...ten, watchSeconds: 5000, sessionId: 'boast' })
    await report({ ...ten, roomId: nobody })
    expect((await report({ ...ten, watchSeconds: -1 })).status).toBe(422)
    const rows = await server.app.db
      .selectFrom('roomWatchSessions')
      .select(['sessionId', 'userId', 'watchSeconds'])
      .where('roomId', '=', roomId)
      .orderBy('sessionId')
      .execute()
    expect(rows).toEqual([
      { sessionId: 'boast', userId: bob.id, watchSeconds: 11 },
      { sessionId: 'one', userId: bob.id, watchSeconds: 20 },
    ])
  })
})
