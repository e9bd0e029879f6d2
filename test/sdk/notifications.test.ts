import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { ok } from '../factories/chat.ts'
import { createComment, createPost } from '../factories/comments.ts'
import { react } from '../factories/posts.ts'
import type { TestClient } from '../harness/client.ts'
import { startTestServer } from '../harness/server.ts'
import { closeSdkClients, openSdkClient, type SdkClient } from './client.ts'
import type { SdkVersion } from './protocol.ts'

vi.setConfig({ testTimeout: 20_000, hookTimeout: 60_000 })

interface Item {
  _id: string
  text: string
  actionType: string
  isSeen: boolean
  isRecent: boolean
  lastOccurredAt: string
  users: { userId: string }[]
}
type Page = { data: Item[]; hasNextPage: boolean }

/** The tray as the newer client shows it; the older one has none. Each step builds on the ones before. */
describe('the notification tray with the 7.20 client', () => {
  let server: Awaited<ReturnType<typeof startTestServer>>
  let alice: SdkClient<'7.20'>
  let bob: TestClient
  let postId: string

  beforeAll(async () => {
    server = await startTestServer()
    alice = await openSdkClient({
      version: '7.20',
      apiKey: server.apiKey,
      httpUrl: server.url,
      mqttUrl: server.mqttUrl,
    })
    await alice.login({ userId: 'alice' })
    bob = await server.as('bob')
    postId = (await createPost(await server.as('alice'))).postId
    await createComment(bob, postId)
    ok(await react(bob, postId))
    await server.settled()
  })

  afterAll(async () => {
    await closeSdkClients(alice).finally(() => server?.close())
  })

  const read = (limit: number) =>
    alice.run(
      ({ sdk }, limit) =>
        new Promise<Page>((resolve, reject) => {
          const off = sdk.notificationTray.getNotificationTrayItems(
            { limit },
            ({ data, loading, error, hasNextPage, onNextPage }) => {
              if (error) return reject(error as Error)
              if (loading) return
              const plain = JSON.parse(JSON.stringify(data ?? [])) as Page['data']
              if (hasNextPage && plain.length < 2) return onNextPage?.()
              setTimeout(() => off())
              resolve({ data: plain, hasNextPage: hasNextPage ?? false })
            },
          )
        }),
      limit,
    )

  test('items are listed, page by page, with who acted', async () => {
    const whole = await read(10)
    expect(whole.data).toMatchObject([
      { text: 'bob reacted to your post.', actionType: 'reaction', isSeen: false, isRecent: true },
      { text: 'bob commented on your post.', actionType: 'comment', isSeen: false, isRecent: true },
    ])
    expect(whole.data.map(({ users }) => users.map(({ userId }) => userId))).toEqual([['bob'], ['bob']])
    expect(whole.hasNextPage).toBe(false)
    const paged = await read(1)
    expect(paged.data.map(({ _id }) => _id)).toEqual(whole.data.map(({ _id }) => _id))
  })

  test('an item, then the whole tray, is marked as seen', async () => {
    const [first] = (await read(10)).data
    await alice.run(({ sdk }, id) => {
      const lastSeenAt = new Date().toISOString()
      return sdk.notificationTray.markItemsSeen([{ id, lastSeenAt }])
    }, first!._id)
    expect((await read(10)).data.map(({ isSeen }) => isSeen)).toEqual([true, false])

    const seen = () =>
      alice.run(
        ({ sdk }) =>
          new Promise<{ isSeen: boolean; lastTrayOccurredAt: string }>((resolve) => {
            const off = sdk.notificationTray.getNotificationTraySeen(({ data, loading }) => {
              if (loading || !data) return
              setTimeout(() => off())
              resolve(JSON.parse(JSON.stringify(data)) as never)
            })
          }),
      )
    expect(await seen()).toMatchObject({ isSeen: false, lastTrayOccurredAt: first!.lastOccurredAt })
    await alice.run(({ sdk }) => sdk.notificationTray.markTraySeen(new Date().toISOString()))
    expect(await seen()).toMatchObject({ isSeen: true })
    await createComment(bob, postId)
    await server.settled()
    expect(await seen()).toMatchObject({ isSeen: false })
  })

  test('a phone is registered and unregistered', async () => {
    const devices = () => server.app.db.selectFrom('devices').select(['platform', 'token']).execute()
    const registered = await alice.run(({ sdk }) => {
      Object.assign((globalThis as never as { reactNative: { Platform: object } }).reactNative.Platform, {
        OS: 'android',
      })
      return sdk.Client.registerPushNotification('a token')
    })
    expect(registered).toBe(true)
    expect(await devices()).toEqual([{ platform: 'android', token: 'a token' }])
    expect(await alice.run(({ sdk }) => sdk.Client.unregisterPushNotification())).toBe(true)
    expect(await devices()).toEqual([])
  })
})

/** Neither client has functions for settings; apps ask through the client's own connection. */
describe.each<SdkVersion>(['6.35', '7.20'])('notification settings with the %s client', (version) => {
  let server: Awaited<ReturnType<typeof startTestServer>>
  let alice: SdkClient

  beforeAll(async () => {
    server = await startTestServer()
    alice = await openSdkClient({
      version,
      apiKey: server.apiKey,
      httpUrl: server.url,
      mqttUrl: server.mqttUrl,
    })
    await alice.login({ userId: 'alice' }, { realtime: false })
  })

  afterAll(async () => {
    await closeSdkClients(alice).finally(() => server?.close())
  })

  test('are read, changed and read again', async () => {
    const found = await alice.run(async ({ client }) => {
      const { http } = client as never as {
        http: {
          get(path: string, options: object): Promise<{ data: { isPushNotifiable: boolean } }>
          post(path: string, body: object): Promise<{ data: { status: string } }>
        }
      }
      const path = '/api/v3/notification/setting'
      const read = async () => (await http.get(path, { params: { level: 'user' } })).data.isPushNotifiable
      const before = await read()
      const { data } = await http.post(path, { level: 'user', isPushNotifiable: false })
      return [before, data.status, await read()]
    })
    expect(found).toEqual([true, 'success', false])
  })
})
