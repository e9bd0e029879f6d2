import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createCommunity } from '../factories/communities.ts'
import { startTestServer } from '../harness/server.ts'
import { closeSdkClients, openSdkClient, type SdkClient } from './client.ts'
import { redPixel } from './pictures.ts'
import type { SdkVersion } from './protocol.ts'

// Clients report what was looked at every ten seconds.
vi.setConfig({ testTimeout: 40_000, hookTimeout: 60_000 })

interface Shown {
  storyId: string
  referenceId: string
  dataType: string
  data: { fileId: string; imageDisplayMode: string }
  items: { data: { url: string } }[]
  reactions: Record<string, number>
  myReactions: string[]
  commentsCount: number
  syncState: string
}
interface Target {
  targetId: string
  hasUnseen: boolean
}
type Page<T> = { data: T[]; loading: boolean }

/** Stories as the clients use them: mia makes one, bob watches. Each step builds on the ones before. */
describe.each<SdkVersion>(['6.35', '7.20'])('stories with the %s client', (version) => {
  let server: Awaited<ReturnType<typeof startTestServer>>
  let mia: SdkClient
  let bob: SdkClient
  let communityId: string
  let storyId: string

  beforeAll(async () => {
    server = await startTestServer()
    const at = { version, apiKey: server.apiKey, httpUrl: server.url, mqttUrl: server.mqttUrl }
    ;[mia, bob] = await Promise.all([openSdkClient(at), openSdkClient(at)])
    await Promise.all([mia.login({ userId: 'mia' }), bob.login({ userId: 'bob' })])
    communityId = (await createCommunity(await server.as('mia'), { userIds: ['bob'] })).communityId
  })

  afterAll(async () => {
    await closeSdkClients(mia, bob).finally(() => server?.close())
  })

  const sees = (client: SdkClient, fits: (stories: Shown[]) => boolean) =>
    client.until<Page<Shown>>('stories', ({ data, loading }) => !loading && fits(data))

  test('a list is opened and stays live', async () => {
    await bob.run(({ sdk, emit, state }, targetId) => {
      const target = { targetType: 'community' as never, targetId }
      state.list = sdk.StoryRepository.getActiveStoriesByTarget(target, (page: object) => {
        emit('stories', JSON.parse(JSON.stringify(page)))
        state.page = page
      })
      sdk.subscribeTopic(sdk.getCommunityStoriesTopic(target))
    }, communityId)
    await sees(bob, (stories) => stories.length === 0)
    await bob.subscribed((topic) => topic.endsWith(`/social/community/${communityId}/story/#`))
  })

  test('a picture with a link becomes a story that others see at once', async () => {
    const made = await mia.run(
      async ({ sdk }, { targetId, picture }) => {
        const form = new FormData()
        form.append('files', new File([picture], 'pixel.png', { type: 'image/png' }))
        const item = { type: 'hyperlink', data: { url: 'https://example.com', customText: 'Look' } }
        const make = sdk.StoryRepository.createImageStory as (...args: unknown[]) => Promise<{ data: object }>
        const { data } = await make('community', targetId, form, { mood: 'bright' }, 'fill', [item])
        return data as Shown
      },
      { targetId: communityId, picture: redPixel },
    )
    expect(made).toMatchObject({ dataType: 'image', syncState: 'synced', data: { imageDisplayMode: 'fill' } })
    expect(made.referenceId).not.toBe(made.storyId)
    storyId = made.storyId
    const { data } = await sees(bob, (stories) => stories.length === 1)
    expect(data).toMatchObject([
      { storyId, data: made.data, items: [{ data: { url: 'https://example.com' } }] },
    ])
    const shown = await bob.run(({ state }) => {
      const [story] = (state.page as { data: Record<string, any>[] }).data // eslint-disable-line @typescript-eslint/no-explicit-any -- the client's types leave out what it adds
      return [story!.creator.userId, story!.community.communityId, typeof story!.imageData.fileUrl]
    })
    expect(shown).toEqual(['mia', communityId, 'string'])
  })

  test('it waits to be seen', async () => {
    await bob.run(({ sdk, emit, state }) => {
      state.targets = sdk.StoryRepository.getGlobalStoryTargets(
        { seenState: 'smart' as never, limit: 10 },
        (page: object) => emit('targets', JSON.parse(JSON.stringify(page))),
      )
    })
    const { data } = await bob.until<Page<Target>>('targets', (page) => !page.loading && page.data.length > 0)
    expect(data).toMatchObject([{ targetId: communityId, hasUnseen: true }])
  })

  test('it is reacted to, live', async () => {
    await bob.run(({ sdk }, id) => sdk.ReactionRepository.addReaction('story', id, 'like'), storyId)
    await sees(bob, ([story]) => story?.reactions.like === 1 && story.myReactions[0] === 'like')
    const other = await server.as('mia')
    await other.post('/api/v2/reactions', {
      referenceType: 'story',
      referenceId: storyId,
      reactionName: 'like',
    })
    const { data } = await sees(bob, ([story]) => story?.reactions.like === 2)
    expect(data).toHaveLength(1)
    await bob.run(({ sdk }, id) => sdk.ReactionRepository.removeReaction('story', id, 'like'), storyId)
    await sees(bob, ([story]) => story?.reactions.like === 1 && story.myReactions.length === 0)
  })

  test('it is commented on', async () => {
    await bob.run(async ({ sdk }, referenceId) => {
      const said = { referenceType: 'story', referenceId, data: { text: 'Oh' } }
      await sdk.CommentRepository.createComment(said as never)
    }, storyId)
    const texts = await bob.run(
      ({ sdk }, referenceId) =>
        new Promise<string[]>((resolve) => {
          sdk.CommentRepository.getComments(
            { referenceType: 'story', referenceId, limit: 5 } as never,
            (page: { data: { data?: unknown }[]; loading: boolean }) =>
              page.loading || resolve(page.data.map(({ data }) => (data as { text: string }).text)),
          )
        }),
      storyId,
    )
    expect(texts).toEqual(['Oh'])
  })

  test('it is looked at: its maker knows, and it is seen', async () => {
    await bob.run(({ state }) => {
      const [story] = (state.page as { data: { analytics: { markAsSeen(): void } }[] }).data
      story!.analytics.markAsSeen()
    })
    const maker = await server.as('mia')
    await expect
      .poll(async () => (await maker.get(`/api/v4/stories/${storyId}`)).body.stories[0].reach, {
        timeout: 25_000,
        interval: 500,
      })
      .toBe(1)
    const viewers = await mia.run(
      ({ sdk }, viewId) =>
        new Promise<string[]>((resolve) => {
          sdk.UserRepository.getReachedUsers(
            { viewId, viewedType: 'story' as never, limit: 5 },
            ({ data, loading }) => {
              if (!loading) resolve(data.map((user) => user!.userId))
            },
          )
        }),
      storyId,
    )
    expect(viewers).toEqual(['bob'])
    const target = { targetType: 'community', targetId: communityId }
    const unseen = await bob.run(
      ({ sdk }, target) =>
        new Promise<boolean>((resolve) => {
          sdk.StoryRepository.getTargetsByTargetIds([target as never], ({ data, loading }) => {
            if (!loading) resolve(data[0]!.hasUnseen)
          })
        }),
      target,
    )
    expect(unseen).toBe(false)
  })

  test('it goes, for everyone at once', async () => {
    const gone = await mia.run(({ sdk }, id) => sdk.StoryRepository.softDeleteStory(id), storyId)
    expect(gone).toBe(true)
    await sees(bob, (stories) => stories.length === 0)
  })
})
