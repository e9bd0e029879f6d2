import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createCommunity } from '../../../test/factories/communities.ts'
import { createPost, inCommunity } from '../../../test/factories/posts.ts'
import { createRoom, roomPath, rooms } from '../../../test/factories/rooms.ts'
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

const ids = (body: { rooms: { roomId: string }[] }) => body.rooms.map((room) => room.roomId)

/** Brings a room on the air as its media would. */
async function putOnAir(roomId: string): Promise<void> {
  await server.app.db
    .updateTable('rooms')
    .set({ status: 'live', liveAt: new Date(), seenAt: new Date(), hasMedia: true })
    .where('id', '=', roomId)
    .execute()
}

describe('a room in a post', () => {
  it('is shown with the post, and read by those who read it', async () => {
    const { communityId } = await createCommunity(alice, { isPublic: false })
    const { roomId } = await createRoom(alice)
    const other = await createRoom(bob)
    const post = (id: string) => ({ dataType: 'room', data: { text: 'x', roomId: id }, ...inCommunity(communityId) })
    expect((await alice.post('/api/v4/posts', post(other.roomId))).status).toBe(404)
    const { body } = await alice.post('/api/v4/posts', post(roomId))
    const [{ postId }] = body.posts
    expect(body.rooms[0]).toMatchObject({
      roomId,
      referenceId: postId,
      referenceType: 'post',
      targetId: communityId,
      targetType: 'community',
      targetVisibility: 'private',
    })
    expect((await alice.post('/api/v4/posts', post(roomId))).body.code).toBe(400900)
    expect((await bob.get(roomPath(roomId))).status).toBe(404)
    expect((await bob.post(roomPath(roomId, '/stop'))).status).toBe(404)
    await expect(listen(server, bob, [`hubbub/room/${roomId}`])).rejects.toThrow('403')
    ;(await listen(server, alice, [`hubbub/room/${roomId}`, `hubbub/room/${roomId}/streamer`])).close()
  }) // prettier-ignore

  it('takes reactions that fly over it while it is live', async () => {
    const { roomId } = await createRoom(alice)
    const { postId, path } = await createPost(alice, { dataType: 'room', data: { text: 'x', roomId } })
    const react = () => bob.post('/api/v1/reactions/live', { roomId, reactions: [{ reactionName: 'wow' }] })
    expect((await react()).status).toBe(400)
    await putOnAir(roomId)
    const news = await listen(server, alice, [`${path}/liveReaction`])
    expect((await react()).body.addedIds).toHaveLength(1)
    const { data } = await news.next('liveReaction.created')
    news.close()
    expect(data.reactions[0]).toMatchObject({ reactionName: 'wow', userId: 'bob', referenceId: roomId })
    expect(postId).toBeTruthy()
  })

  it('ends when its post is deleted while it is on the air, and waits for another post before', async () => {
    const { roomId } = await createRoom(alice)
    const post = () => createPost(alice, { dataType: 'room', data: { text: 'x', roomId } })
    const remove = async (postId: string) =>
      expect((await alice.delete(`/api/v4/posts/${postId}`)).status).toBe(200)
    await remove((await post()).postId)
    expect((await alice.get(roomPath(roomId))).body.rooms[0].status).toBe('idle')
    const { postId } = await post()
    await putOnAir(roomId)
    const news = await listen(server, alice, [`hubbub/room/${roomId}`])
    await remove(postId)
    expect((await news.next('room.endBroadcasting')).data.rooms[0]).toMatchObject({
      status: 'ended',
      isDeleted: false,
    })
    news.close()
  })

  it('is on the shelf of live rooms while it is live', async () => {
    const { communityId } = await createCommunity(alice)
    const [here, there, idle] = [await createRoom(alice), await createRoom(alice), await createRoom(alice)]
    const at = { [here.roomId]: inCommunity(communityId), [there.roomId]: {}, [idle.roomId]: {} }
    const posts: string[] = []
    for (const [roomId, target] of Object.entries(at)) {
      const { postId } = await createPost(alice, { dataType: 'room', data: { text: 'x', roomId }, ...target })
      posts.push(postId)
      if (roomId !== idle.roomId) await putOnAir(roomId)
    }
    const shelf = (query: object) => bob.get(`${rooms}/lives`, query as Record<string, unknown>)
    const all = (await shelf({ targetTypes: ['all'], options: { limit: 100, sortBy: 'lastCreated' } })).body
    expect(ids(all)).toEqual(expect.arrayContaining([here.roomId, there.roomId]))
    expect(ids(all)).not.toContain(idle.roomId)
    const shown = all.posts.map((post: { postId: string }) => post.postId)
    for (const room of all.rooms) expect(shown).toContain(room.referenceId)
    expect(ids((await shelf({ options: { limit: 1 } })).body)).toHaveLength(1)
    const there2 = await shelf({ targetTypes: ['community'], targetIds: [communityId] })
    expect(ids(there2.body)).toEqual([here.roomId])
    expect(there2.body.communities[0].communityId).toBe(communityId)
    expect((await shelf({ targetTypes: ['user'] })).status).toBe(422)
    for (const { roomId } of [here, there]) await alice.post(roomPath(roomId, '/stop'))
    expect(ids((await shelf({ targetTypes: ['community'] })).body)).toEqual([])
  })
})

describe('lists', () => {
  it('are filtered, sorted and paged', async () => {
    const carol = await server.as('carol')
    const made: string[] = []
    for (let i = 0; i < 5; i++) made.push((await createRoom(carol, { title: `r${i}` })).roomId)
    await carol.delete(roomPath(made[0]!))
    await carol.post(roomPath(made[1]!, '/stop'))
    const list = async (query: Record<string, unknown>) => (await carol.get(rooms, query)).body
    const own = async (query: Record<string, unknown>) =>
      ids(await list({ options: { limit: 100 }, ...query })).filter((id) => made.includes(id))
    expect(await own({})).toEqual(made.toReversed())
    expect(await own({ sortBy: 'firstCreated' })).toEqual(made)
    expect(await own({ isDeleted: true })).toEqual([made[0]])
    expect(await own({ isDeleted: false, statuses: ['ended'] })).toEqual([made[1]])
    expect(await own({ statuses: ['live', 'recorded'] })).toEqual([])
    expect(await own({ type: 'coHosts' })).toEqual([])
    expect(await own({ type: 'directStreaming' })).toHaveLength(5)
    expect((await carol.get(rooms, { statuses: ['open'] })).status).toBe(422)
    expect((await carol.get(rooms, { options: { token: 'x' } })).status).toBe(400)
    const joined: string[] = []
    let token: string | undefined
    do {
      const page = await list({ options: token ? { token } : { type: 'pagination', limit: 3 } })
      joined.push(...ids(page))
      token = page.paging.next
    } while (token)
    expect(joined).toEqual(ids(await list({ options: { limit: 100 } })))
  })

  it('hide the rooms of the blocked', async () => {
    const dave = await server.as('dave')
    const { roomId } = await createRoom(dave)
    await bob.post('/api/v4/me/user-blocks/dave')
    expect(ids((await bob.get(rooms, { options: { limit: 100 } })).body)).not.toContain(roomId)
    expect((await bob.get(roomPath(roomId))).status).toBe(404)
  })
})

describe('what is found in the pictures', () => {
  it('flags a room, or terminates it and takes down its post', async () => {
    await admin.put('/api/v3/network-settings/video-streaming', {
      moderation: {
        enabled: true,
        categories: [{ category: 'violence', flagThreshold: 0.4, terminateThreshold: 0.75 }],
      },
    })
    const { roomId } = await createRoom(alice)
    const { postId } = await createPost(alice, { dataType: 'room', data: { text: 'x', roomId } })
    await putOnAir(roomId)
    const report = (confidence: number, client = admin) =>
      client.post(roomPath(roomId, '/moderation'), { category: 'violence', confidence })
    expect((await report(0.9, alice)).body.code).toBe(400301)
    expect((await report(0.1)).body.rooms[0].moderation.flagLabels).toEqual([])
    expect((await report(0.5)).body.rooms[0].moderation.flagLabels).toMatchObject([
      { category: 'violence', categoryId: 'violence', threshold: 0.4 },
    ])
    const news = await listen(server, bob, [`hubbub/room/${roomId}`])
    const { body } = await report(0.8)
    expect(body.rooms[0]).toMatchObject({ status: 'terminated', livePlaybackUrl: null })
    expect(body.rooms[0].moderation.terminateLabels).toHaveLength(1)
    expect((await news.next('room.terminated')).data.rooms[0].status).toBe('terminated')
    news.close()
    expect((await alice.get(`/api/v3/posts/${postId}`)).body.posts?.[0]?.isDeleted ?? true).toBe(true)
    expect((await alice.get(roomPath(roomId, '/token'))).status).toBe(409)
  })
})
