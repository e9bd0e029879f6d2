import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createCommunity } from '../../../test/factories/communities.ts'
import { createPost, inCommunity, uploadPicture } from '../../../test/factories/posts.ts'
import { createStream, readStream, streaming, streamPath } from '../../../test/factories/streams.ts'
import type { TestClient } from '../../../test/harness/client.ts'
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

const ids = (body: { videoStreamings: { streamId: string }[] }) =>
  body.videoStreamings.map((stream) => stream.streamId)

describe('making a stream', () => {
  it('answers everything it was given, and where to publish and watch', async () => {
    const thumbnailFileId = await uploadPicture(alice)
    const { status, body } = await alice.post(streaming, {
      title: 'Title',
      description: 'Words',
      thumbnailFileId,
      metadata: { any: ['thing'] },
      isSecure: false,
      resolution: 'FHD',
      channelEnabled: true,
    })
    expect(status).toBe(200)
    const [stream] = body.videoStreamings
    expect(stream).toMatchObject({
      userId: 'alice',
      userPublicId: 'alice',
      userInternalId: alice.id,
      title: 'Title',
      description: 'Words',
      thumbnailFileId,
      metadata: { any: ['thing'] },
      resolution: 'FHD',
      channelEnabled: true,
      isLive: false,
      isDeleted: false,
      isParent: true,
      status: 'idle',
      postId: null,
      parentStreamId: null,
      childStreamIds: [],
      startedAt: null,
      endedAt: null,
      recordings: [],
    })
    const { streamId, streamerUrl, watcherUrl } = stream
    expect(streamerUrl.url).toMatch(new RegExp(`^rtmp://127.0.0.1:\\d+/live/${streamId}\\?key=[\\w-]{32}$`))
    const { origin, appName, streamName, query } = streamerUrl.components
    expect(`${origin}/${appName}/${streamName}?${query}`).toBe(streamerUrl.url)
    expect(watcherUrl.hls.url).toBe(`${server.url}/live/${streamId}/index.m3u8`)
    expect(watcherUrl.flv.url).toBe(`${server.url}/live/${streamId}.flv`)
    expect(watcherUrl.rtmp.url).toBe(`${origin}/live/${streamId}`)
    expect(body.users.map((user: { userId: string }) => user.userId)).toEqual(['alice'])
    expect(body.files.map((file: { fileId: string }) => file.fileId)).toEqual([thumbnailFileId])
    expect(body.videoStreamModerations).toMatchObject([
      { moderationId: stream.moderationId, streamId, flagLabels: [], terminateLabels: [] },
    ])
    expect(body.videoStreamingChildren).toEqual([])
    const { body: chat } = await bob.get(`/api/v3/channels/${stream.channelId}`)
    expect(chat.channels[0]).toMatchObject({ type: 'live', attachedTo: { videoStreamId: streamId } })
  })

  it('shows the key to nobody but its maker and administrators', async () => {
    const { streamId, streamerUrl } = await createStream(alice)
    const { query } = streamerUrl.components
    const seen = await readStream(bob, streamId)
    expect(JSON.stringify(seen)).not.toContain(query)
    expect(seen.streamerUrl.components).toMatchObject({ streamName: '', query: '' })
    expect((await readStream(admin, streamId)).streamerUrl).toEqual(streamerUrl)
  })

  const limits: [what: string, fields: () => object | Promise<object>, status: number][] = [
    ['a title of 1000', () => ({ title: 'x'.repeat(1000) }), 200],
    ['a title of 1001', () => ({ title: 'x'.repeat(1001) }), 422],
    ['no title', () => ({ title: undefined }), 422],
    ['a description of 5000', () => ({ description: 'x'.repeat(5000) }), 200],
    ['a description of 5001', () => ({ description: 'x'.repeat(5001) }), 422],
    ['a file id of 51', () => ({ thumbnailFileId: 'f'.repeat(51) }), 422],
    ['a file that is not there', () => ({ thumbnailFileId: 'f'.repeat(24) }), 404],
    ['a parent id of 51', () => ({ parentStreamId: 'f'.repeat(51) }), 422],
    ['a parent that is not there', () => ({ parentStreamId: 'f'.repeat(24) }), 404],
    ['another resolution', () => ({ resolution: '4K' }), 422],
    ['isSecure as text', () => ({ isSecure: 'yes' }), 422],
    ['metadata as text', () => ({ metadata: 'x' }), 422],
    ['metadata that is too large', () => ({ metadata: { x: 'x'.repeat(100_000) } }), 422],
    ["another's parent", async () => ({ parentStreamId: (await createStream(bob)).streamId }), 403],
  ]
  it.each(limits)('limit: %s', async (_what, fields, status) => {
    expect((await alice.post(streaming, { title: 'Live', ...(await fields()) })).status).toBe(status)
  })

  it('is refused where the network has switched it off', async () => {
    await admin.put('/api/v3/network-settings/video-streaming', { enabled: false })
    expect((await alice.post(streaming, { title: 'Live' })).body.code).toBe(400300)
    await admin.put('/api/v3/network-settings/video-streaming', { enabled: true })
  })

  it('adds at most two children to a parent, also at once', async () => {
    const parent = await createStream(alice, { channelEnabled: true })
    const child = { title: 'Side', parentStreamId: parent.streamId, channelEnabled: true }
    const answers = await Promise.all(Array.from({ length: 5 }, () => alice.post(streaming, child)))
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, 200, 400, 400, 400])
    const [made] = answers.filter((answer) => answer.status === 200)
    expect(made!.body.videoStreamings[0]).toMatchObject({
      isParent: false,
      parentStreamId: parent.streamId,
      channelId: null,
    })
    const { body } = await bob.get(streamPath(parent.streamId))
    expect(body.videoStreamings[0].childStreamIds).toHaveLength(2)
    expect(body.videoStreamingChildren.map((one: { streamId: string }) => one.streamId).sort()).toEqual(
      [...body.videoStreamings[0].childStreamIds].sort(),
    )
    const grandchild = { title: 'x', parentStreamId: body.videoStreamings[0].childStreamIds[0] }
    expect((await alice.post(streaming, grandchild)).status).toBe(400)
    await alice.delete(streamPath(body.videoStreamings[0].childStreamIds[0]))
    expect((await alice.post(streaming, child)).status).toBe(200)
  })
})

describe('changing and ending a stream', () => {
  it('changes what is named and nothing else', async () => {
    const { streamId, updatedAt } = await createStream(alice, { description: 'd', resolution: 'HD' })
    const { body } = await alice.put(streamPath(streamId), { title: 'New', metadata: { a: 1 } })
    expect(body.videoStreamings[0]).toMatchObject({
      title: 'New',
      description: 'd',
      resolution: 'HD',
      metadata: { a: 1 },
    })
    expect(body.videoStreamings[0].updatedAt >= updatedAt).toBe(true)
    expect((await alice.put(streamPath(streamId), { title: 'x'.repeat(1001) })).status).toBe(422)
  })

  it('is for its maker and administrators', async () => {
    const { streamId } = await createStream(alice)
    const acts = [
      (who: TestClient) => who.put(streamPath(streamId), { title: 'x' }),
      (who: TestClient) => who.delete(streamPath(streamId, '/streaming-url')),
      (who: TestClient) => who.get(streamPath(streamId, '/viewers')),
      (who: TestClient) => who.put(streamPath(streamId, '/viewers/ban'), { userIds: ['carol'] }),
      (who: TestClient) => who.post(streamPath(streamId, '/stop')),
      (who: TestClient) => who.delete(streamPath(streamId)),
    ]
    await server.as('carol')
    for (const act of acts) expect((await act(bob)).body.code).toBe(400301)
    for (const act of acts) expect((await act(admin)).status).toBe(200)
    for (const act of acts.filter((_, i) => i !== 2)) expect((await act(alice)).status).toBe(404)
    expect((await alice.get(streamPath('f'.repeat(24)))).body.code).toBe(400400)
  })

  it('gives another key to a stream that waits, and none to one that ended', async () => {
    const { streamId, streamerUrl } = await createStream(alice)
    const { body } = await alice.delete(streamPath(streamId, '/streaming-url'))
    const next = body.videoStreamings[0].streamerUrl
    expect(next.url).not.toBe(streamerUrl.url)
    expect(next.components.query).toMatch(/^key=/)
    const ended = await alice.post(streamPath(streamId, '/stop'))
    expect(ended.body.videoStreamings[0]).toMatchObject({ status: 'ended', isLive: false })
    expect(ended.body.videoStreamings[0].endedAt).toBeTruthy()
    expect(ended.body.videoStreamings[0].streamerUrl.components.query).toBe('')
    expect((await alice.delete(streamPath(streamId, '/streaming-url'))).body.videoStreamings[0].status).toBe(
      'ended',
    )
  })

  it('deletes with its children and its channel, and stays readable by its id', async () => {
    const { streamId, channelId } = await createStream(alice, { channelEnabled: true })
    const child = await createStream(alice, { parentStreamId: streamId })
    expect((await alice.delete(streamPath(streamId))).body).toEqual({
      status: 'success',
      success: true,
      data: { success: true },
    })
    for (const id of [streamId, child.streamId])
      expect(await readStream(alice, id)).toMatchObject({ isDeleted: true, status: 'ended' })
    expect((await bob.get(`/api/v3/channels/${channelId}`)).body.channels[0].isDeleted).toBe(true)
    expect((await alice.delete(streamPath(streamId))).status).toBe(404)
  })
})

describe('listing', () => {
  const list = async (query: object) => (await bob.get(streaming, { ...query })).body

  it('filters by status, maker and deletion, in either order', async () => {
    const carol = await server.as('carol')
    const idle = (await createStream(carol)).streamId
    const ended = (await createStream(carol)).streamId
    await carol.post(streamPath(ended, '/stop'))
    const deleted = (await createStream(carol)).streamId
    await carol.delete(streamPath(deleted))
    await createStream(carol, { parentStreamId: idle })
    const of = { userPublicIds: ['carol'] }
    expect(ids((await list(of)).results)).toEqual([deleted, ended, idle])
    expect(ids((await list({ ...of, sortBy: 'firstCreated' })).results)).toEqual([idle, ended, deleted])
    expect(ids((await list({ ...of, isDeleted: true })).results)).toEqual([deleted])
    expect(ids((await list({ ...of, isDeleted: false })).results)).toEqual([ended, idle])
    expect(ids((await list({ ...of, statuses: ['idle'] })).results)).toEqual([idle])
    expect(ids((await list({ ...of, statuses: ['idle', 'ended'], isDeleted: false })).results)).toEqual([ended, idle])
    expect(ids((await list({ ...of, isLive: true })).results)).toEqual([])
    expect(ids((await list({ ...of, isLive: false, isDeleted: false })).results)).toEqual([ended, idle])
    expect(ids((await list({ userPublicIds: ['nobody'] })).results)).toEqual([])
    expect((await list(of)).results.videoStreamingChildren).toHaveLength(1)
  }) // prettier-ignore

  it('gives pages that joined are the whole, also past what is hidden', async () => {
    const dora = await server.as('dora')
    const { communityId } = await createCommunity(dora, { isPublic: false })
    const open: string[] = []
    for (let i = 0; i < 9; i++) {
      const { streamId } = await createStream(dora, { title: `${i}` })
      if (i % 3 === 2) await post(dora, streamId, inCommunity(communityId))
      else open.unshift(streamId)
    }
    const seen: string[] = []
    let options: object = { limit: 2 }
    for (;;) {
      const { results, paging } = await list({ userPublicIds: ['dora'], options })
      seen.push(...ids(results))
      if (!paging.next) break
      expect(results.videoStreamings).toHaveLength(2)
      options = { token: paging.next }
    }
    expect(seen).toEqual(open)
    // A client's own token for a first page.
    const token = Buffer.from(JSON.stringify({ skip: 0, limit: 3 })).toString('base64')
    expect(ids((await list({ userPublicIds: ['dora'], options: { token } })).results)).toEqual(open.slice(0, 3))
  }) // prettier-ignore

  const wrong: [what: string, query: object, status: number][] = [
    ['11 statuses', { statuses: Array<string>(11).fill('idle') }, 422],
    ['10 statuses', { statuses: Array<string>(10).fill('idle') }, 200],
    ['an unknown status', { statuses: ['paused'] }, 422],
    ['101 makers', { userPublicIds: Array<string>(101).fill('bob') }, 422],
    ['a maker of 51', { userPublicIds: ['b'.repeat(51)] }, 422],
    ['an unknown order', { sortBy: 'title' }, 422],
    ['a token that is none', { options: { token: 'x' } }, 400],
    ['a limit of 101', { options: { limit: 101 } }, 422],
  ]
  it.each(wrong)('limit: %s', async (_what, query, status) => {
    expect((await bob.get(streaming, { ...query })).status).toBe(status)
  })
})

const post = (client: TestClient, streamId: string, target: object = {}) =>
  createPost(client, { ...target, dataType: 'liveStream', data: { text: 'On air', streamId } })

describe('a stream in a post', () => {
  it('is shown with the post, and knows it', async () => {
    const { streamId } = await createStream(alice)
    const { postId } = await post(alice, streamId)
    const { body } = await bob.get(`/api/v3/posts/${postId}`)
    expect(ids(body)).toEqual([streamId])
    expect(body.postChildren[0]).toMatchObject({ dataType: 'liveStream', data: { streamId } })
    expect(body.posts[0].structureType).toBe('liveStream')
    expect(await readStream(bob, streamId)).toMatchObject({
      postId,
      referenceType: 'post',
      referenceId: postId,
      targetType: 'user',
      targetId: 'alice',
    })
  })

  it('is a living parent stream of the poster, shown once', async () => {
    const { streamId } = await createStream(alice)
    const child = await createStream(alice, { parentStreamId: streamId })
    const attempt = async (client: TestClient, id: string) =>
      (await client.post('/api/v4/posts', { dataType: 'liveStream', data: { streamId: id } })).status
    expect(await attempt(bob, streamId)).toBe(404)
    expect(await attempt(alice, 'f'.repeat(24))).toBe(404)
    expect(await attempt(alice, child.streamId)).toBe(400)
    const answers = await Promise.all(Array.from({ length: 4 }, () => attempt(alice, streamId)))
    expect(answers.sort()).toEqual([200, 409, 409, 409])
    expect((await readStream(bob, child.streamId)).postId).toBe((await readStream(bob, streamId)).postId)
  })

  it('takes the place of another, as if it were posted now', async () => {
    const [first, next, foreign] = await Promise.all(
      [alice, alice, bob].map((client) => createStream(client)),
    )
    const child = await createStream(alice, { parentStreamId: first.streamId })
    const { postId, children } = await post(alice, first.streamId)
    const edit = (client: TestClient, streamId: string) =>
      client.put(`/api/v3/posts/${children[0]}`, { data: { streamId } })
    const shown = async () => (await bob.get(`/api/v3/posts/${postId}`)).body.postChildren[0].data.streamId
    expect((await edit(alice, 'f'.repeat(24))).status).toBe(404)
    expect((await edit(alice, foreign.streamId)).status).toBe(404)
    expect((await edit(alice, child.streamId)).status).toBe(400)
    const admin = await server.asAdmin()
    expect((await edit(admin, (await createStream(admin)).streamId)).body.code).toBe(400301)
    const elsewhere = await createStream(alice)
    await post(alice, elsewhere.streamId)
    expect((await edit(alice, elsewhere.streamId)).status).toBe(409)
    expect(await shown()).toBe(first.streamId)
    expect((await edit(alice, first.streamId)).status).toBe(200)
    expect((await edit(alice, next.streamId)).status).toBe(200)
    expect(await shown()).toBe(next.streamId)
    expect(await readStream(bob, next.streamId)).toMatchObject({
      postId,
      targetType: 'user',
      targetId: 'alice',
    })
    expect((await readStream(bob, first.streamId)).postId).toBeNull()
    await post(alice, first.streamId)
    // One that is on the air there ends, and stays where it was.
    const { db } = server.app
    await db.updateTable('videoStreams').set({ status: 'live' }).where('id', '=', next.streamId).execute()
    expect((await edit(alice, (await createStream(alice)).streamId)).status).toBe(200)
    expect(await readStream(bob, next.streamId)).toMatchObject({ status: 'ended', postId })
  })

  it('is as hidden as its post, with its addresses signed', async () => {
    const { communityId } = await createCommunity(alice, { isPublic: false, userIds: ['carol'] })
    const { streamId } = await createStream(alice)
    expect((await readStream(bob, streamId)).watcherUrl.hls.components.query).toBe('')
    await post(alice, streamId, inCommunity(communityId))
    expect((await bob.get(streamPath(streamId))).status).toBe(404)
    const seen = await readStream(await server.as('carol'), streamId)
    expect(seen.watcherUrl.hls.url).toMatch(/\?viewer=\w+&expires=\d+&signature=[\w-]+$/)
    expect((await bob.put(streamPath(streamId), { title: 'x' })).status).toBe(404)
  })

  it('is hidden from those its maker blocked', async () => {
    const { streamId } = await createStream(alice)
    const erin = await server.as('erin')
    await alice.post(`/api/v4/me/user-blocks/${erin.userId}`)
    expect((await erin.get(streamPath(streamId))).status).toBe(404)
  })
})

describe('the live channel a client makes', () => {
  it('belongs to its own stream, once', async () => {
    const { streamId } = await createStream(alice)
    const { postId } = await post(alice, streamId)
    const make = (client: TestClient, id = streamId) =>
      client.post('/api/v3/channels', { type: 'live', postId, videoStreamId: id })
    expect((await make(bob)).status).toBe(403)
    expect((await make(alice, 'f'.repeat(24))).status).toBe(404)
    const { body } = await make(alice)
    expect((await readStream(bob, streamId)).channelId).toBe(body.channels[0].channelId)
    expect((await make(alice)).status).toBe(409)
  })
})
