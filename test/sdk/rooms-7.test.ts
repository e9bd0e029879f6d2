import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createCommunity } from '../factories/communities.ts'
import { startTestServer, type TestServer } from '../harness/server.ts'
import { apiKey, apiSecret, sendWebhook, startLiveKitApi, type LiveKitApi } from '../stage/livekit-server.ts'
import { closeSdkClients, openSdkClient, type SdkClient } from './client.ts'

vi.setConfig({ testTimeout: 30_000, hookTimeout: 60_000 })

interface Shown {
  roomId: string
  title: string
  status: string
  type: string
  liveChannelId: string | null
  participants: { type: string; userId: string; canManageProductTags: boolean; user?: { userId: string } }[]
  user?: { userId: string }
  post?: { postId: string }
}
interface Happened {
  room: Shown
  actorInternalId: string
}

// Rooms as the newer client uses them: mia hosts, bob comes on stage. Each step builds on the ones before.
let liveKit: LiveKitApi
let server: TestServer
let mia: SdkClient<'7.20'>
let bob: SdkClient<'7.20'>
let miaId: string
let bobId: string
let communityId: string
let roomId: string
let postId: string

beforeAll(async () => {
  liveKit = await startLiveKitApi()
  server = await startTestServer({
    LIVEKIT_URL: liveKit.url,
    LIVEKIT_API_KEY: apiKey,
    LIVEKIT_API_SECRET: apiSecret,
  })
  const at = { version: '7.20', apiKey: server.apiKey, httpUrl: server.url, mqttUrl: server.mqttUrl } as const
  ;[mia, bob] = await Promise.all([openSdkClient(at), openSdkClient(at)])
  await Promise.all([mia.login({ userId: 'mia' }), bob.login({ userId: 'bob' })])
  const host = await server.as('mia')
  ;[miaId, bobId] = [host.id, (await server.as('bob')).id]
  communityId = (await createCommunity(host, { userIds: ['bob'] })).communityId
})
afterAll(async () => {
  await closeSdkClients(mia, bob).finally(async () => {
    await server?.close()
    await liveKit?.close()
  })
})

const tell = (event: string, identity: string) =>
  sendWebhook(server.url, { event, room: { name: roomId }, participant: { identity } })
const sees = (client: SdkClient<'7.20'>, fits: (room: Shown) => boolean) =>
  client.until<{ data?: Shown }>('room', ({ data }) => data !== undefined && fits(data))

test('a room is made, posted, and shown on a live object with its host', async () => {
  const made = await mia.run(async ({ sdk }, targetId) => {
    const { data: room } = await sdk.RoomRepository.createRoom({
      title: 'Talk',
      type: 'coHosts',
      liveChatEnabled: true,
    } as never)
    const { data: post } = await sdk.PostRepository.createRoomPost({
      targetType: 'community',
      targetId,
      dataType: 'room',
      data: { roomId: room.roomId, text: 'Come' },
    } as never)
    return { roomId: room.roomId, postId: post.postId }
  }, communityId)
  ;({ roomId, postId } = made)
  for (const client of [mia, bob])
    await client.run(({ sdk, emit, state }, id) => {
      const plain = (value: unknown) => JSON.parse(JSON.stringify(value)) as object
      let isSubscribed = false
      state.stop = sdk.RoomRepository.getRoom(id, (page) => {
        emit('room', plain(page))
        if (!page.data || isSubscribed) return
        isSubscribed = true
        sdk.subscribeTopic(sdk.getRoomWatcherTopic(page.data))
        sdk.subscribeTopic(sdk.getRoomStreamerTopic(page.data))
      })
      sdk.RoomRepository.onRoomParticipantJoined((happened) => emit('joined', plain(happened)))
      sdk.RoomRepository.onRoomParticipantStageJoined((happened) => emit('staged', plain(happened)))
      sdk.RoomRepository.onRoomParticipantRemoved((happened) => emit('removed', plain(happened)))
      sdk.RoomRepository.onRoomCoHostInvited((invitations) => emit('invited', plain(invitations)))
    }, roomId)
  const { data } = await sees(bob, (room) => room.status === 'idle')
  expect(data).toMatchObject({ type: 'coHosts', title: 'Talk', user: { userId: 'mia' }, liveChannelId: expect.any(String) })
  expect(data!.participants).toMatchObject([{ type: 'host', userId: 'mia', user: { userId: 'mia' } }])
  for (const client of [mia, bob]) await client.subscribed((topic) => topic.endsWith(`/room/${roomId}`))
}) // prettier-ignore

test('a co-host is invited, accepts, and gets a token', async () => {
  await mia.run(async ({ sdk, state }, id) => {
    await new Promise<void>((resolve) => {
      state.once = sdk.RoomRepository.getRoom(id, ({ data }) => {
        if (!data || state.asked) return
        state.asked = true
        void data.createInvitation('bob').then(() => resolve())
      })
    })
  }, roomId)
  const [invitation] = await bob.until<{ invitationId: string; targetId: string }[]>('invited', () => true)
  expect(invitation).toMatchObject({ targetId: roomId })
  const answer = await bob.run(async ({ client }, id) => {
    const { data } = await client.http.post(`/api/v1/invitations/${id}/accept`)
    return data as unknown
  }, invitation!.invitationId)
  expect(answer).toEqual({ success: true })
  const joined = await mia.until<Happened>('joined', () => true)
  expect(joined.actorInternalId).toBe(bobId)
  await sees(mia, (room) => room.participants.some(({ userId }) => userId === 'bob'))
  for (const client of [mia, bob]) {
    const data = await client.run(({ sdk }, id) => sdk.RoomRepository.getBroadcasterData(id), roomId)
    expect(data).toMatchObject({ coHostUrl: liveKit.url, coHostToken: expect.any(String) })
  }
})

test('the room goes live before everybody', async () => {
  await tell('participant_joined', miaId)
  expect((await bob.until<Happened>('staged', () => true)).actorInternalId).toBe(miaId)
  await tell('track_published', miaId)
  await sees(bob, (room) => room.status === 'live')
  const shelf = await bob.run(
    ({ sdk }) =>
      new Promise<string[]>((resolve) => {
        sdk.PostRepository.getLiveRoomPosts(({ data, loading }) => {
          if (!loading && data) resolve(data.map((post) => post.postId))
        })
      }),
  )
  expect(shelf).toContain(postId)
  const count = await bob.run(async ({ sdk }, id) => {
    await sdk.RoomPresenceRepository.startHeartbeat(id)
    await new Promise((resolve) => setTimeout(resolve, 1000))
    const answer = await sdk.RoomPresenceRepository.getRoomUserCount(id)
    sdk.RoomPresenceRepository.stopHeartbeat(id)
    return answer.count
  }, roomId)
  expect(count).toBe(1)
})

test('it is changed, a co-host is told what they may do, removed, and the room stopped', async () => {
  await mia.run(async ({ sdk }, id) => {
    await sdk.RoomRepository.updateRoom(id, { title: 'Talk on' } as never)
    await sdk.RoomRepository.updateCohostPermission(id, 'bob', true)
  }, roomId)
  await sees(bob, (room) => room.title === 'Talk on')
  await sees(bob, (room) => room.participants.some((one) => one.userId === 'bob' && one.canManageProductTags))
  // The client tells its own open objects of the room a removal in a form they cannot read: the host looks away.
  await mia.run(async ({ sdk, state }, id) => {
    ;(state.stop as () => void)()
    ;(state.once as () => void)()
    await sdk.RoomRepository.removeParticipant(id, 'bob')
  }, roomId)
  expect((await bob.until<Happened>('removed', () => true)).actorInternalId).toBe(bobId)
  await sees(bob, (room) => room.participants.length === 1)
  await mia.run(({ sdk }, id) => sdk.RoomRepository.stopRoom(id), roomId)
  await sees(bob, (room) => room.status === 'ended')
})

test('rooms are listed, and deleted', async () => {
  const ids = await bob.run(
    ({ sdk }) =>
      new Promise<string[]>((resolve) => {
        const query = { statuses: ['ended'], sortBy: 'lastCreated', limit: 5 } as never
        sdk.RoomRepository.getRooms(query, ({ data, loading }) => {
          if (!loading && data.length > 0) resolve(data.map((room) => room.roomId))
        })
      }),
  )
  expect(ids).toEqual([roomId])
  await mia.run(({ sdk }, id) => sdk.RoomRepository.deleteRoom(id), roomId)
  const host = await server.as('mia')
  expect((await host.get(`/api/v1/rooms/${roomId}`)).body.rooms[0].isDeleted).toBe(true)
})
