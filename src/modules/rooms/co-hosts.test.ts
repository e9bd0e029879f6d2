import { TokenVerifier } from 'livekit-server-sdk'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createRoom, inviteCoHost, readRoom, roomPath, untilRoom } from '../../../test/factories/rooms.ts'
import type { TestClient } from '../../../test/harness/client.ts'
import { eventually } from '../../../test/harness/eventually.ts'
import { listen } from '../../../test/harness/listener.ts'
import { startTestServer, type TestServer } from '../../../test/harness/server.ts'
import {
  apiKey,
  apiSecret,
  sendWebhook,
  startLiveKitApi,
  type LiveKitApi,
} from '../../../test/stage/livekit-server.ts'

let liveKit: LiveKitApi
let server: TestServer
let alice: TestClient
let bob: TestClient
let carol: TestClient
beforeAll(async () => {
  liveKit = await startLiveKitApi()
  server = await startTestServer({
    LIVEKIT_URL: liveKit.url,
    LIVEKIT_API_KEY: apiKey,
    LIVEKIT_API_SECRET: apiSecret,
    LIVEKIT_EGRESS: 'true',
    HUBBUB_STREAM_GRACE_SECONDS: '1',
  })
  ;[alice, bob, carol] = await Promise.all([server.as('alice'), server.as('bob'), server.as('carol')])
})
afterAll(async () => {
  await server.close()
  await liveKit.close()
})
beforeEach(() => liveKit.broken.clear())

const act = (client: TestClient, id: string, how: 'accept' | 'reject') =>
  client.post(`/api/v1/invitations/${id}/${how}`)
const tell = async (event: string, roomId: string, more: object = {}) => {
  const response = await sendWebhook(server.url, { event, room: { sid: 'RM_1', name: roomId }, ...more })
  expect(response.status).toBe(200)
}
const by = (client: { id: string }) => ({ participant: { sid: 'PA_1', identity: client.id } })
const called = (method: string) => eventually(() => liveKit.calls.findLast((call) => call.method === method))

async function createStage(): Promise<string> {
  const { roomId } = await createRoom(alice, { type: 'coHosts' })
  const { invitationId } = await inviteCoHost(alice, roomId, 'bob')
  expect((await act(bob, invitationId, 'accept')).status).toBe(200)
  return roomId
}

describe('invitations of co-hosts', () => {
  it('reach who is invited and make a participant of who accepts', async () => {
    const { roomId } = await createRoom(alice, { type: 'coHosts' })
    const [host, guest] = await Promise.all([
      listen(server, alice, [`hubbub/room/${roomId}/streamer`]),
      listen(server, bob),
    ])
    const invitation = await inviteCoHost(alice, roomId, 'bob')
    expect(invitation).toMatchObject({ targetType: 'room', targetId: roomId, status: 'pending' })
    const invited = await guest.next('room.didCohostInvite')
    expect(invited.data.invitations[0]).toMatchObject({ invitedUserPublicId: 'bob', targetId: roomId })
    expect(invited.data.users.map((user: { userId: string }) => user.userId).sort()).toEqual(['alice', 'bob'])
    expect((await act(bob, invitation._id, 'accept')).body).toEqual({ success: true })
    expect((await host.next('room.didCohostInviteAccept')).data.invitations[0].status).toBe('approved')
    const joined = await host.next('room.participantJoined')
    expect(joined.data.eventActor).toEqual({ userInternalId: bob.id })
    expect(joined.data.rooms[0].participants).toEqual([
      { type: 'host', userId: 'alice', userInternalId: alice.id, canManageProductTags: true },
      { type: 'coHost', userId: 'bob', userInternalId: bob.id, canManageProductTags: false },
    ])
    host.close()
    guest.close()
    expect((await act(bob, invitation._id, 'accept')).status).toBe(200)
    expect((await readRoom(carol, roomId)).participants).toHaveLength(2)
  })

  it('are rejected and taken back', async () => {
    const { roomId } = await createRoom(alice, { type: 'coHosts' })
    const host = await listen(server, alice, [`hubbub/room/${roomId}/streamer`])
    const first = await inviteCoHost(alice, roomId, 'bob')
    const tray = async () => {
      await server.settled()
      return (await bob.get('/api/v1/notification-tray')).body.notificationTrayItems as object[]
    }
    const item = {
      actionType: 'invitation',
      trayItemCategory: 'room_cohost_invite',
      targetType: 'room',
      targetId: roomId,
      text: 'alice invited you to co-host Room.',
    }
    expect((await tray())[0]).toMatchObject(item)
    await act(bob, first._id, 'reject')
    expect(await tray()).not.toContainEqual(expect.objectContaining(item))
    expect((await host.next('room.didCohostInviteReject')).data.invitations[0].status).toBe('rejected')
    const second = await inviteCoHost(alice, roomId, 'bob')
    expect((await alice.delete(`/api/v1/invitations/${second._id}`)).status).toBe(200)
    expect((await host.next('room.didCohostInviteCancel')).data.invitations[0].status).toBe('cancelled')
    host.close()
    expect((await act(bob, second._id, 'accept')).body.code).toBe(400900)
  })

  it('are for the host to send, to a room of co-hosts that is not over', async () => {
    const { roomId } = await createRoom(alice, { type: 'coHosts' })
    const direct = await createRoom(alice)
    const invite = async (client: TestClient, targetId: string) =>
      (
        await client.post('/api/v1/invitations', {
          type: 'livestreamCohostInvite',
          targetType: 'room',
          targetId,
          userIds: ['carol'],
        })
      ).body.code
    expect(await invite(bob, roomId)).toBe(400301)
    expect(await invite(alice, direct.roomId)).toBe(400000)
    expect(await invite(alice, '0'.repeat(24))).toBe(400400)
    const { _id } = await inviteCoHost(alice, roomId, 'bob')
    await alice.post(roomPath(roomId, '/stop'))
    expect(await invite(alice, roomId)).toBe(400900)
    expect((await act(bob, _id, 'accept')).body.code).toBe(400900)
  })
})

describe('tokens', () => {
  const verifier = new TokenVerifier(apiKey, apiSecret)
  const grantsOf = async (client: TestClient, roomId: string) => {
    const { body } = await client.get(roomPath(roomId, '/token'))
    expect(body.coHostUrl).toBe(liveKit.url)
    return verifier.verify(body.coHostToken)
  }

  it('let participants send and others only watch', async () => {
    const roomId = await createStage()
    for (const client of [alice, bob]) {
      const claims = await grantsOf(client, roomId)
      expect(claims).toMatchObject({ sub: client.id, name: client.userId })
      expect(claims.video).toEqual({
        roomJoin: true,
        room: roomId,
        canPublish: true,
        canSubscribe: true,
        canPublishData: true,
      })
    }
    const viewer = await grantsOf(carol, roomId)
    expect(viewer.sub).toMatch(new RegExp(`^viewer:${carol.id}:`))
    expect(viewer.video).toMatchObject({ canPublish: false, canPublishData: false, hidden: true })
    expect(await called('RoomService/CreateRoom')).toMatchObject({
      body: { name: roomId, departureTimeout: 1 },
      grants: { video: { roomCreate: true } },
    })
    await alice.post(roomPath(roomId, '/stop'))
    expect((await bob.get(roomPath(roomId, '/token'))).body.code).toBe(400900)
  })

  it('wait for the server to be there', async () => {
    const roomId = await createStage()
    liveKit.broken.set('RoomService/CreateRoom', 500)
    expect((await alice.get(roomPath(roomId, '/token'))).status).toBe(503)
  })
})

describe('what LiveKit tells', () => {
  it('is believed only when LiveKit signed it', async () => {
    const event = { event: 'room_finished', room: { name: await createStage() } }
    expect((await sendWebhook(server.url, event, 'another secret of thirty-two letters')).status).toBe(403)
    const unsigned = { method: 'POST', headers: { 'content-type': 'application/webhook+json' }, body: '{}' }
    expect((await fetch(`${server.url}/livekit/webhook`, unsigned)).status).toBe(403)
    const other = { ...unsigned, headers: { 'content-type': 'application/json' } }
    expect((await fetch(`${server.url}/livekit/webhook`, other)).status).toBe(415)
    await tell('participant_joined', '0'.repeat(24), by(alice))
    await tell('something_new', 'RM_other')
  })

  it('makes a room live, keeps it waiting, and ends it', async () => {
    const roomId = await createStage()
    const topics = [`hubbub/room/${roomId}`]
    const news = await listen(server, carol, topics)
    await tell('participant_joined', roomId, by(alice))
    const on = await news.next('room.participantStageJoined')
    expect(on.data).toMatchObject({ eventActor: { userInternalId: alice.id }, rooms: [{ status: 'idle' }] })
    await tell('track_published', roomId, by(alice))
    expect((await news.next('room.startBroadcasting')).data.rooms[0]).toMatchObject({ status: 'live' })
    const { body } = (await called('Egress/StartRoomCompositeEgress'))!
    expect(body).toMatchObject({ roomName: roomId })
    expect(JSON.stringify(body)).toMatch(new RegExp(`rtmp://127.0.0.1:\\d+/live/room-${roomId}\\?key=`))
    await tell('participant_joined', roomId, by(bob))
    await tell('track_published', roomId, by(bob))
    await tell('participant_left', roomId, by(alice))
    await news.next('room.participantStageLeft')
    expect(await readRoom(carol, roomId)).toMatchObject({ status: 'live' })
    await tell('participant_left', roomId, by(bob))
    expect((await news.next('room.waitingReconnect')).data.rooms[0]).toMatchObject({
      status: 'waitingReconnect',
      endedAt: null,
    })
    await tell('track_published', roomId, by(bob))
    await news.next('room.startBroadcasting')
    const mixes = liveKit.calls.filter(({ method }) => method === 'Egress/StartRoomCompositeEgress')
    expect(mixes.filter(({ body: asked }) => asked.roomName === roomId)).toHaveLength(1)
    await tell('room_finished', roomId)
    expect((await news.next('room.endBroadcasting')).data.rooms[0].status).toBe('ended')
    await tell('track_published', roomId, by(bob))
    expect(await readRoom(carol, roomId)).toMatchObject({ status: 'ended' })
    news.close()
  })

  it('is not needed: the stage is looked at, and a room without media ends', async () => {
    const roomId = await createStage()
    await tell('track_published', roomId, by(alice))
    liveKit.onStage.set(roomId, [alice.id])
    const age = async (seconds: number) => {
      const seenAt = new Date(Date.now() - seconds * 1000)
      await server.app.db.updateTable('rooms').set({ seenAt }).where('id', '=', roomId).execute()
      return seenAt
    }
    const aged = await age(12)
    const seenAt = () =>
      server.app.db.selectFrom('rooms').select('seenAt').where('id', '=', roomId).executeTakeFirst()
    await eventually(async () => (await seenAt())!.seenAt! > aged || undefined, 20_000)
    expect(await readRoom(carol, roomId)).toMatchObject({ status: 'live' })
    liveKit.onStage.delete(roomId)
    await age(12)
    await untilRoom(carol, roomId, 'waitingReconnect')
    await age(60)
    await untilRoom(carol, roomId, 'ended')
    const closed = await called('RoomService/DeleteRoom')
    expect(closed).toMatchObject({ body: { room: roomId } })
  }, 60_000)
})

describe('participants', () => {
  it('are removed by the host, also from the stage, and kept away', async () => {
    const roomId = await createStage()
    await tell('participant_joined', roomId, by(bob))
    const news = await listen(server, carol, [`hubbub/room/${roomId}`])
    expect((await carol.delete(roomPath(roomId, '/participants/bob'))).body.code).toBe(400301)
    liveKit.broken.set('RoomService/RemoveParticipant', 404)
    expect((await alice.delete(roomPath(roomId, '/participants/bob'))).body).toEqual({ success: true })
    const removed = await news.next('room.participantRemoved')
    news.close()
    expect(removed.data).toMatchObject({ eventActor: { userInternalId: bob.id } })
    expect(removed.data.rooms[0].participants).toHaveLength(1)
    const expel = await called('RoomService/RemoveParticipant')
    expect(expel).toMatchObject({ body: { room: roomId, identity: bob.id } })
    liveKit.calls.length = 0
    await tell('participant_joined', roomId, by(bob))
    await called('RoomService/RemoveParticipant')
    await tell('track_published', roomId, by(bob))
    expect(await readRoom(carol, roomId)).toMatchObject({ status: 'idle' })
  })

  it('are taken off the stage when they are banned from its chat, or from the network', async () => {
    const admin = await server.asAdmin()
    const dave = await server.as('dave')
    const bans = [
      async (roomId: string) => {
        const { liveChannelId } = await readRoom(alice, roomId)
        return alice.put(`/api/v3/channels/${liveChannelId}/users/ban`, { userIds: ['dave'] })
      },
      () => admin.post('/api/v2/users/ban', { userId: 'dave' }),
    ]
    for (const ban of bans) {
      const { roomId } = await createRoom(alice, { type: 'coHosts' })
      const { invitationId } = await inviteCoHost(alice, roomId, 'dave')
      expect((await act(dave, invitationId, 'accept')).status).toBe(200)
      const news = await listen(server, carol, [`hubbub/room/${roomId}`])
      liveKit.calls.length = 0
      expect((await ban(roomId)).status).toBe(200)
      const removed = await news.next('room.participantRemoved')
      news.close()
      expect(removed.data.eventActor.userInternalId).toBe(dave.id)
      expect(await called('RoomService/RemoveParticipant')).toMatchObject({ body: { identity: dave.id } })
      expect((await readRoom(alice, roomId)).participants).toHaveLength(1)
    }
  })

  it('who only watch are sent away when they are banned from its chat, and when they come back', async () => {
    const { roomId, liveChannelId } = await createRoom(alice, { type: 'coHosts' })
    const device = `viewer:${carol.id}:1`
    liveKit.onStage.set(roomId, [alice.id, device, `viewer:${bob.id}:1`])
    liveKit.calls.length = 0
    await carol.post(`/api/v3/channels/${liveChannelId}/join`)
    expect(
      (await alice.put(`/api/v3/channels/${liveChannelId}/users/ban`, { userIds: ['carol'] })).status,
    ).toBe(200)
    const expelled = () =>
      liveKit.calls.flatMap(({ method, body }) =>
        method === 'RoomService/RemoveParticipant' ? [body.identity] : [],
      )
    await eventually(() => expelled().length === 2)
    expect(expelled()).toEqual([carol.id, device])
    for (const identity of [`viewer:${bob.id}:1`, device])
      await tell('participant_joined', roomId, { participant: { identity } })
    await eventually(() => expelled().length === 4)
    expect(new Set(expelled())).toEqual(new Set([carol.id, device]))
  })

  it('leave, and are told what they may do', async () => {
    const roomId = await createStage()
    const news = await listen(server, carol, [`hubbub/room/${roomId}`])
    const body = { canManageProductTags: true }
    const path = roomPath(roomId, '/participants/bob')
    expect((await bob.put(path, body)).body.code).toBe(400301)
    expect((await alice.put(path, body)).body.rooms[0].participants[1]).toMatchObject(body)
    await news.next('room.didUpdate')
    expect((await bob.post(roomPath(roomId, '/leave'))).body).toEqual({ success: true })
    expect((await news.next('room.participantLeft')).data.eventActor.userInternalId).toBe(bob.id)
    news.close()
    expect((await readRoom(bob, roomId)).participants).toHaveLength(1)
    expect((await bob.post(roomPath(roomId, '/stop'))).body.code).toBe(400301)
  })
})

describe('a host who leaves the network', () => {
  const roomOf = async (userId: string) =>
    (await createRoom(await server.as(userId), { type: 'coHosts', metadata: {} })).roomId as string

  it('has no room that goes on, and none at all when deleted with everything', async () => {
    const admin = await server.asAdmin()
    const [ended, kept, gone] = [await roomOf('erin'), await roomOf('frank'), await roomOf('grace')]
    liveKit.calls.length = 0
    expect((await admin.post('/api/v2/users/ban', { userId: 'erin' })).status).toBe(200)
    expect(await called('RoomService/DeleteRoom')).toMatchObject({ body: { room: ended } })
    expect((await admin.delete('/api/v4/users/frank')).status).toBe(200)
    expect((await admin.delete('/api/v4/users/grace?deleteAll=true')).status).toBe(200)
    const seen = await Promise.all([ended, kept, gone].map((roomId) => readRoom(admin, roomId)))
    expect(seen.map(({ status, isDeleted }) => [status, isDeleted])).toEqual([
      ['ended', false],
      ['ended', false],
      ['ended', true],
    ])
  })
})
