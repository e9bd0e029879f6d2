import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ok } from '../../../test/factories/chat.ts'
import { follow } from '../../../test/factories/follows.ts'
import { createPost } from '../../../test/factories/posts.ts'
import { createStream, readStream, streamPath, untilStatus } from '../../../test/factories/streams.ts'
import type { TestClient } from '../../../test/harness/client.ts'
import { eventually } from '../../../test/harness/eventually.ts'
import { listen } from '../../../test/harness/listener.ts'
import { startTestServer, type TestServer } from '../../../test/harness/server.ts'
import { startWebhookReceiver } from '../../../test/harness/webhook-receiver.ts'

// The media is another server's here, so that states can be told instead of streamed.
const secret = 'a-secret-between-two-servers'
let server: TestServer
let alice: TestClient
let bob: TestClient
let admin: TestClient
beforeAll(async () => {
  server = await startTestServer({
    HUBBUB_MEDIA_RTMP_URL: 'rtmp://media.example',
    HUBBUB_MEDIA_HLS_URL: 'https://media.example/hls/{stream}/index.m3u8',
    HUBBUB_MEDIA_FLV_URL: 'https://media.example/{stream}.flv',
    HUBBUB_MEDIA_SECRET: secret,
    HUBBUB_STREAM_GRACE_SECONDS: '1',
    HUBBUB_WEBHOOK_ALLOW_PRIVATE: 'true',
  })
  ;[alice, bob, admin] = await Promise.all([server.as('alice'), server.as('bob'), server.asAdmin()])
})
afterAll(() => server.close())

async function tell(streamId: string, action: string, param = ''): Promise<number> {
  const answer = await fetch(`${server.url}/media/callbacks`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-hubbub-media-secret': secret },
    body: JSON.stringify({ action, app: 'live', stream: streamId, param }),
  })
  return answer.status
}

async function goLive(fields: object = {}) {
  const stream = await createStream(alice, { ...fields })
  expect(await tell(stream.streamId, 'on_publish', `?${stream.streamerUrl.components.query}`)).toBe(200)
  await untilStatus(alice, stream.streamId, 'live')
  return stream
}

const show = (streamId: string) =>
  createPost(alice, { dataType: 'liveStream', data: { text: 'On air', streamId } })

describe('a stream that starts and ends', () => {
  it('tells clients and webhooks, without the key', async () => {
    const receiver = await startWebhookReceiver()
    ok(await admin.post('/api/v1/webhooks', { url: receiver.url, events: ['*'] }))
    ok(await follow(bob, 'alice'))
    const news = await listen(server, bob)
    const { streamId, streamerUrl, watcherUrl } = await goLive({ description: 'Words' })
    expect(watcherUrl).toMatchObject({
      hls: { url: `https://media.example/hls/${streamId}/index.m3u8` },
      flv: { url: `https://media.example/${streamId}.flv` },
      rtmp: { url: `rtmp://media.example/live/${streamId}` },
    })
    const { data } = await news.next('video-streaming.didStart')
    expect(data.videoStreamings[0]).toMatchObject({ streamId, isLive: true })
    for (const key of ['videoStreamingChildren', 'videoStreamModerations', 'users', 'files'])
      expect(Array.isArray(data[key])).toBe(true)
    expect(await tell(streamId, 'on_unpublish')).toBe(200)
    await untilStatus(alice, streamId, 'ended')
    expect((await news.next('video-streaming.didStop')).data.videoStreamings[0].isLive).toBe(false)
    news.close()
    const told = () => receiver.received.filter(({ path }) => path.includes('video-streaming'))
    await eventually(() => told().length === 3)
    expect(told().map(({ path }) => path.replace('/webhook/', ''))).toEqual([
      'video-streaming.didStart',
      'push-notification/video-streaming.started',
      'video-streaming.didStop',
    ])
    const push = told()[1]!.body.data
    expect(push).toMatchObject({
      eventName: 'video-streaming.started',
      isBroadcast: false,
      targetIds: ['bob'],
      notify: true,
      title: 'alice',
      body: 'alice is live.',
      videoStreamingChildren: [],
    })
    expect(Object.keys(push.videoStreamings[0]).sort()).toEqual(
      ['streamId', 'userId', 'thumbnailFileId', 'title', 'isLive', 'isDeleted', 'description', 'platform',
        'startedAt', 'endedAt', 'createdAt', 'updatedAt', 'metadata', 'resolution', 'streamerUrl'].sort(),
    ) // prettier-ignore
    for (const { text } of told()) expect(text).not.toContain(streamerUrl.components.query)
    await receiver.close()
  })

  it('stays the same stream while its encoder comes back in time', async () => {
    const news = await listen(server, bob)
    const { streamId, streamerUrl } = await goLive()
    await tell(streamId, 'on_unpublish')
    expect(await tell(streamId, 'on_publish', `?${streamerUrl.components.query}`)).toBe(200)
    expect(await tell(streamId, 'on_hls')).toBe(200)
    expect(await tell(streamId, 'on_unpublish')).toBe(200)
    await untilStatus(alice, streamId, 'ended')
    expect(await tell(streamId, 'on_hls')).toBe(403)
    await news.next('video-streaming.didStop')
    expect(news.names().filter((name) => name === 'video-streaming.didStart')).toHaveLength(1)
    news.close()
  })

  it('lists as live while it is', async () => {
    const { streamId } = await goLive()
    const { body } = await bob.get('/api/v3/video-streaming', { isLive: true })
    expect(body.results.videoStreamings.map((one: { streamId: string }) => one.streamId)).toContain(streamId)
    expect((await alice.delete(streamPath(streamId))).status).toBe(200)
    expect(await tell(streamId, 'on_hls')).toBe(403)
    expect(await readStream(alice, streamId)).toMatchObject({
      isDeleted: true,
      isLive: false,
      status: 'ended',
    })
  })
})

describe('those who watch', () => {
  const report = (client: TestClient, ...streams: object[]) =>
    client.post('/api/v3/user-event/video-streaming', {
      signature: 's',
      nonceStr: 'n',
      timestamp: new Date().toISOString(),
      streams,
    })
  const watched = (streamId: string, from: number, to: number, fields: object = {}) => ({
    streamId,
    sessionId: 'session',
    startTime: new Date(Date.UTC(2030, 0, 1, 0, 0, from)).toISOString(),
    endTime: new Date(Date.UTC(2030, 0, 1, 0, 0, to)).toISOString(),
    watchSeconds: to - from,
    ...fields,
  })

  it('are listed with how long, and counted while they watch', async () => {
    const { streamId } = await goLive()
    const carol = await server.as('carol')
    expect((await report(bob, watched(streamId, 0, 20), watched(streamId, 30, 40))).body).toEqual({
      ok: true,
    })
    // What a client sends again counts once, what goes on is added.
    await report(bob, watched(streamId, 30, 40))
    await report(bob, watched(streamId, 40, 60))
    await report(carol, watched(streamId, 0, 10, { watchSeconds: 86_400 }))
    const path = streamPath(streamId, '/viewers')
    const { viewers, watching, users } = ok(await alice.get(path))
    expect(viewers).toMatchObject([
      { userId: 'bob', watchSeconds: 50 },
      { userId: 'carol', watchSeconds: 11 },
    ])
    expect([watching, users.length]).toEqual([2, 2])
    const first = ok(await alice.get(path, { options: { limit: 1 } }))
    const second = ok(await alice.get(path, { options: { token: first.paging.next } }))
    expect([...first.viewers, ...second.viewers]).toEqual(viewers)
    expect(second.paging.next).toBeUndefined()
    await server.app.db.updateTable('videoStreamWatchSessions').set({ seenAt: new Date(0) })
      .where('userId', '=', carol.id).execute() // prettier-ignore
    const now = ok(await alice.get(path, { isWatching: true }))
    expect([now.viewers.length, now.watching]).toEqual([1, 1])
  })

  it('are passed over where nothing is to be watched', async () => {
    const { streamId } = await createStream(alice)
    const odd = { startTime: 'yesterday' }
    const unknown = watched('f'.repeat(24), 0, 1)
    expect((await report(bob, watched(streamId, 0, 1), unknown)).status).toBe(200)
    const live = (await goLive()).streamId
    expect(
      (await report(bob, watched(live, 9, 1, { watchSeconds: 1 }), watched(live, 0, 1, odd))).status,
    ).toBe(200)
    for (const id of [streamId, live])
      expect(ok(await alice.get(streamPath(id, '/viewers'))).viewers).toEqual([])
    expect((await report(bob)).status).toBe(422)
    expect((await report(bob, ...Array<object>(101).fill(unknown))).status).toBe(422)
    expect((await report(bob, { ...unknown, watchSeconds: -1 })).status).toBe(422)
    expect((await bob.post('/api/v3/user-event/video-streaming', { streams: [unknown] })).status).toBe(422)
  })

  it('are shut out, by the stream or by its live channel', async () => {
    const { streamId, channelId } = await goLive({ channelEnabled: true })
    const inbox = await listen(server, bob)
    const acts = [
      (isBan: boolean) =>
        alice.put(streamPath(streamId, `/viewers/${isBan ? 'ban' : 'unban'}`), { userIds: ['bob'] }),
      (isBan: boolean) =>
        alice.put(`/api/v3/channels/${channelId}/users/${isBan ? 'ban' : 'unban'}`, { userIds: ['bob'] }),
    ]
    for (const act of acts) {
      ok(await act(true))
      expect((await inbox.next('video-streaming.viewerDidBan')).data.list).toMatchObject([
        { streamId, userId: 'bob', networkId: 'hubbub', actor: 'alice' },
      ])
      expect(await readStream(bob, streamId)).toMatchObject({ watcherUrl: null, recordings: [] })
      await report(bob, watched(streamId, 0, 5))
      ok(await act(false))
      expect((await inbox.next('video-streaming.viewerDidUnban')).data.list).toMatchObject([{ streamId }])
      expect((await readStream(bob, streamId)).watcherUrl).not.toBeNull()
    }
    expect(ok(await alice.get(streamPath(streamId, '/viewers'))).viewers).toEqual([])
    inbox.close()
    const ban = (userIds: string[]) => alice.put(streamPath(streamId, '/viewers/ban'), { userIds })
    expect((await ban(['alice'])).status).toBe(400)
    expect((await ban(['nobody'])).status).toBe(404)
    expect((await ban([])).status).toBe(422)
    expect((await ban(Array<string>(101).fill('bob'))).status).toBe(422)
  })
})

describe('the post that shows a stream', () => {
  const remove = (postId: string) => alice.delete(`/api/v4/posts/${postId}`)

  it('takes what is live with it when it is deleted, and leaves what has not begun', async () => {
    const child = await createStream(alice)
    const { postId: early } = await show(child.streamId)
    ok(await remove(early))
    expect((await readStream(alice, child.streamId)).status).toBe('idle')
    const news = await listen(server, alice)
    for (const pick of [(post: Shown) => post.postId, (post: Shown) => post.children[0]!]) {
      const { streamId } = await goLive()
      ok(await remove(pick((await show(streamId)) as Shown)))
      expect(await readStream(alice, streamId)).toMatchObject({ status: 'ended', isDeleted: false })
      expect((await news.next('video-streaming.didStop')).data.videoStreamings[0].streamId).toBe(streamId)
      expect(await tell(streamId, 'on_hls')).toBe(403)
    }
    news.close()
    // The announcement may be repeated.
    await show(child.streamId)
  })
})

interface Shown {
  postId: string
  children: string[]
}

describe('what is found in the pictures', () => {
  const found = (client: TestClient, streamId: string, confidence: number, category = 'violence') =>
    client.post(streamPath(streamId, '/moderation'), { category, confidence })

  it('is noted, flags, or ends the stream and takes down its post', async () => {
    const { streamId } = await goLive()
    const { postId } = await show(streamId)
    expect((await found(admin, streamId, 0.9)).body.code).toBe(400300)
    ok(
      await admin.put('/api/v3/network-settings/video-streaming', {
        moderation: {
          enabled: true,
          categories: [{ category: 'violence', flagThreshold: 0.4, terminateThreshold: 0.75 }],
        },
      }),
    )
    expect((await found(bob, streamId, 0.9)).body.code).toBe(400301)
    expect((await found(admin, streamId, 0.9, 'profanity')).status).toBe(400)
    expect((await found(admin, streamId, 1.1)).status).toBe(422)
    const news = await listen(server, bob)
    expect(ok(await found(admin, streamId, 0.39)).videoStreamModerations[0].flagLabels).toEqual([])
    const flagged = ok(await found(admin, streamId, 0.4)).videoStreamModerations[0]
    expect(flagged.flagLabels).toMatchObject([
      { category: 'violence', categoryId: 'violence', threshold: 0.4 },
    ])
    const told = (await news.next('video-streaming.didFlag')).data
    expect(told.videoStreamModerations[0].flagLabels).toHaveLength(1)
    const ended = ok(await found(admin, streamId, 0.75))
    expect(ended.videoStreamings[0].status).toBe('ended')
    expect(ended.videoStreamModerations[0].terminateLabels).toMatchObject([{ threshold: 0.75 }])
    await news.next('video-streaming.didStop')
    await news.next('video-streaming.didTerminate')
    news.close()
    expect((await alice.get(`/api/v3/posts/${postId}`)).body.posts[0].isDeleted).toBe(true)
  })
})

describe('live reactions', () => {
  const react = (client: TestClient, body: object) => client.post('/api/v1/reactions/live', body)
  const like = (fields: object = {}) => ({ reactionName: 'like', referenceType: 'post', ...fields })

  it('reach those who listen to the post, and are kept nowhere', async () => {
    const { streamId } = await goLive()
    const { postId, path } = await show(streamId)
    const news = await listen(server, alice, [`${path}/liveReaction`])
    const other = (await goLive()).streamId
    const { addedIds } = ok(
      await react(bob, {
        liveStreamId: streamId,
        reactions: [
          like({ streamId, referencePublicId: postId, occurredAt: '2030-01-01T00:00:00.000Z' }),
          like({ streamId: other }),
          like(),
        ],
      }),
    )
    expect(addedIds).toHaveLength(2)
    const { data } = await news.next('liveReaction.created')
    expect(data.reactions).toMatchObject([
      { userId: 'bob', reactionName: 'like', referenceId: streamId, referencePublicId: postId,
        referenceType: 'post', occurredAt: '2030-01-01T00:00:00.000Z' },
      { userId: 'bob', reactionName: 'like', referencePublicId: streamId },
    ]) // prettier-ignore
    news.close()
  })

  it('are for what is live and open to the one who reacts', async () => {
    const idle = (await createStream(alice)).streamId
    const live = (await goLive()).streamId
    const reactions = [like()]
    expect((await react(bob, { liveStreamId: idle, reactions })).status).toBe(400)
    expect((await react(bob, { liveStreamId: 'f'.repeat(24), reactions })).status).toBe(404)
    expect((await react(bob, { reactions })).status).toBe(422)
    expect((await react(bob, { liveStreamId: live, roomId: 'r', reactions })).status).toBe(422)
    expect((await react(bob, { liveStreamId: live, reactions: [] })).status).toBe(422)
    expect(
      (await react(bob, { liveStreamId: live, reactions: Array<object>(101).fill(like()) })).status,
    ).toBe(422)
    expect(ok(await react(bob, { liveStreamId: live, reactions })).addedIds).toHaveLength(1)
    await alice.put(streamPath(live, '/viewers/ban'), { userIds: ['bob'] })
    expect((await react(bob, { liveStreamId: live, reactions })).body.code).toBe(400304)
  })
})

describe('whoever leaves the network', () => {
  const streamOf = async (userId: string) => {
    const maker = await server.as(userId)
    const { streamId, streamerUrl } = await createStream(maker)
    expect(await tell(streamId, 'on_publish', `?${streamerUrl.components.query}`)).toBe(200)
    await untilStatus(admin, streamId, 'live')
    return streamId
  }

  it('streams no longer when banned, and leaves nothing when deleted with all', async () => {
    const banned = await streamOf('frank')
    ok(await admin.post('/api/v2/users/ban', { userId: 'frank' }))
    expect(await readStream(admin, banned)).toMatchObject({ status: 'ended', isDeleted: false })
    expect(await tell(banned, 'on_hls')).toBe(403)
    const deleted = await streamOf('grace')
    ok(await admin.delete('/api/v4/users/grace?deleteAll=true'))
    expect(await readStream(admin, deleted)).toMatchObject({ status: 'ended', isDeleted: true })
  })
})

describe('a server that fell silent', () => {
  it('leaves no stream that is live for ever', async () => {
    const { streamId } = await goLive()
    // As if the server that had it were gone for good: nobody says that it has the stream.
    const { db } = server.app
    await db.insertInto('videoStreams').values({
      id: 'e'.repeat(24), userId: alice.id, title: 'Lost', isSecure: false, resolution: 'SD', channelEnabled: false,
      status: 'live', streamKey: 'k', seenAt: new Date(0), createdAt: new Date(), updatedAt: new Date(),
    }).execute() // prettier-ignore
    await db.insertInto('videoStreamModerations').values({
      id: 'd'.repeat(24), streamId: 'e'.repeat(24), createdAt: new Date(), updatedAt: new Date(),
    }).execute() // prettier-ignore
    await untilStatus(alice, 'e'.repeat(24), 'ended')
    expect((await readStream(alice, streamId)).status).toBe('live')
    expect(await eventually(() => tell(streamId, 'on_hls'))).toBe(200)
  })
})
