import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { streamPath, untilStatus } from '../factories/streams.ts'
import { startTestServer } from '../harness/server.ts'
import { closeSdkClients, openSdkClient, type SdkClient } from './client.ts'
import type { SdkVersion } from './protocol.ts'

vi.setConfig({ testTimeout: 30_000, hookTimeout: 60_000 })

interface Shown {
  streamId: string
  title: string
  status: string
  isLive: boolean
  isDeleted: boolean
  isBanned?: boolean
  streamerUrl: { url: string }
}
type Page = { data: Shown[]; loading: boolean; hasNextPage?: boolean }
type One = { data: Shown; loading: boolean; error?: unknown }

const secret = 'a-secret-between-two-servers'

/** Live streams as the clients use them: mia streams, bob watches. The media is another server's, told of here. */
describe.each<SdkVersion>(['6.35', '7.20'])('live streams with the %s client', (version) => {
  let server: Awaited<ReturnType<typeof startTestServer>>
  let mia: SdkClient
  let bob: SdkClient
  let stream: Shown
  let postId: string

  beforeAll(async () => {
    server = await startTestServer({
      HUBBUB_MEDIA_RTMP_URL: 'rtmp://media.example',
      HUBBUB_MEDIA_HLS_URL: 'https://media.example/{stream}.m3u8',
      HUBBUB_MEDIA_SECRET: secret,
      HUBBUB_STREAM_GRACE_SECONDS: '1',
    })
    const at = { version, apiKey: server.apiKey, httpUrl: server.url, mqttUrl: server.mqttUrl }
    ;[mia, bob] = await Promise.all([openSdkClient(at), openSdkClient(at)])
    await Promise.all([mia.login({ userId: 'mia' }), bob.login({ userId: 'bob' })])
  })

  afterAll(async () => {
    await closeSdkClients(mia, bob).finally(() => server?.close())
  })

  const media = async (action: string, param = '') => {
    const { status } = await fetch(`${server.url}/media/callbacks?secret=${secret}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ action, app: 'live', stream: stream.streamId, param }),
    })
    expect(status).toBe(200)
  }
  const sees = (fits: (streams: Shown[]) => boolean) =>
    bob.until<Page>('streams', ({ data, loading }) => !loading && fits(data))
  // The newer client hears of streams; the older one asks again: another question, as it remembers answers.
  let limit = 5
  const list = () =>
    bob.run(({ sdk, emit, state }, limit) => {
      ;(state.list as (() => void) | undefined)?.()
      state.list = sdk.StreamRepository.getStreams(
        { userPublicIds: ['mia'], isDeleted: false, sortBy: 'lastCreated' as never, limit } as never,
        ((page: object) => emit('streams', JSON.parse(JSON.stringify(page)))) as never,
      )
    }, limit++)

  test('one is made and listed', async () => {
    stream = await mia.run(async ({ sdk }) => {
      const { data } = await sdk.StreamRepository.createStream({
        title: 'On air',
        description: 'Words',
      } as never)
      return JSON.parse(JSON.stringify(data)) as never
    })
    expect(stream).toMatchObject({ title: 'On air', status: 'idle', isLive: false })
    expect(stream.streamerUrl.url).toMatch(/^rtmp:\/\/media\.example\/live\/\w+\?key=/)
    await list()
    await sees((streams) => streams[0]?.streamId === stream.streamId && !streams[0].isLive)
  })

  test('it is posted, and read with the post', async () => {
    postId = await mia.run(async ({ sdk }, streamId) => {
      const { data } = await sdk.PostRepository.createPost({
        targetType: 'user',
        targetId: 'mia',
        dataType: 'liveStream',
        data: { text: 'Look', streamId },
      } as never)
      return data.postId
    }, stream.streamId)
    const found = await bob.run(async ({ sdk }, id) => {
      const { data } = await sdk.PostRepository.getPostByIds([id])
      const post = data[0] as unknown as { children: string[] }
      const { data: children } = await sdk.PostRepository.getPostByIds(post.children)
      return JSON.parse(JSON.stringify(children[0])) as { dataType: string; data: { streamId: string } }
    }, postId)
    expect(found).toMatchObject({ dataType: 'liveStream', data: { streamId: stream.streamId } })
  })

  test('a live object follows it on air and off', async () => {
    const open = () =>
      bob.run(({ sdk, emit, state }, streamId) => {
        ;(state.one as (() => void) | undefined)?.()
        state.one = sdk.StreamRepository.getStreamById(streamId, ((one: object) =>
          emit('stream', JSON.parse(JSON.stringify(one)))) as never)
      }, stream.streamId)
    const shows = (fits: (shown: Shown) => boolean) =>
      bob.until<One>('stream', ({ data, loading }) => !loading && data !== undefined && fits(data))
    const maker = await server.as('mia')
    await open()
    await shows((shown) => shown.status === 'idle')
    await media('on_publish', `?${stream.streamerUrl.url.split('?')[1]}`)
    await untilStatus(maker, stream.streamId, 'live')
    // The older client hears of streams over a connection that is not offered; it sees them when it asks.
    if (version === '6.35') await list()
    else expect((await shows((shown) => shown.status === 'live')).data.isLive).toBe(true)
    await sees((streams) => streams[0]?.status === 'live')
    await media('on_unpublish')
    await untilStatus(maker, stream.streamId, 'ended')
    if (version === '6.35') await list()
    else await shows((shown) => shown.status === 'ended')
    await sees((streams) => streams[0]?.status === 'ended')
  })

  test('it is changed, and taken away again', async () => {
    const title = await mia.run(async ({ sdk }, streamId) => {
      const { updateStream, editStream } = sdk.StreamRepository as never as Record<
        string,
        (id: string, changes: object) => Promise<{ data: Shown }>
      >
      const { data } = await (editStream ?? updateStream)!(streamId, { title: 'Was on air' })
      return data.title
    }, stream.streamId)
    expect(title).toBe('Was on air')
    const revoked = await mia.run(async ({ sdk }) => {
      const { data: made } = await sdk.StreamRepository.createStream({ title: 'Another' } as never)
      const { data } = await sdk.StreamRepository.disposeStream(made.streamId)
      return [made.streamerUrl.url, data.streamerUrl.url]
    })
    expect(revoked[1]).not.toBe(revoked[0])
    expect(await mia.run(({ sdk }, id) => sdk.StreamRepository.deleteStream(id), stream.streamId)).toBe(true)
    await list()
    await sees((streams) => streams.length === 1 && streams[0]!.title === 'Another')
  })

  if (version === '7.20')
    test('whoever is banned sees it, and sees it open again', async () => {
      const banned = await mia.run(async ({ sdk }) => {
        const { data } = await sdk.StreamRepository.createStream({ title: 'For some' } as never)
        return data.streamId
      })
      await bob.run(({ sdk, emit }, streamId) => {
        sdk.StreamRepository.getStreamById(streamId, ((one: { data: Shown; loading: boolean }) =>
          emit('shut', { isBanned: one.data?.isBanned, loading: one.loading })) as never)
      }, banned)
      const shows = (isBanned: boolean) =>
        bob.until<{ isBanned: boolean; loading: boolean }>(
          'shut',
          (one) => !one.loading && one.isBanned === isBanned,
        )
      await shows(false)
      const maker = await server.as('mia')
      await maker.put(streamPath(banned, '/viewers/ban'), { userIds: ['bob'] })
      await shows(true)
    })
})
