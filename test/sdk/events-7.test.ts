import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createCommunity } from '../factories/communities.ts'
import { inHours } from '../factories/events.ts'
import { startTestServer } from '../harness/server.ts'
import { closeSdkClients, openSdkClient, type SdkClient } from './client.ts'

vi.setConfig({ testTimeout: 20_000, hookTimeout: 60_000 })

type Page<T> = { data: T[]; loading: boolean }
interface Shown {
  eventId: string
  title: string
  status: string
  rsvpCount: number
}

/** Events as the newer client uses them: mia hosts, bob goes. Each step builds on the ones before. */
describe('events with the 7.20 client', () => {
  let server: Awaited<ReturnType<typeof startTestServer>>
  let mia: SdkClient<'7.20'>
  let bob: SdkClient<'7.20'>
  let communityId: string
  let eventId: string

  beforeAll(async () => {
    server = await startTestServer()
    const at = {
      version: '7.20',
      apiKey: server.apiKey,
      httpUrl: server.url,
      mqttUrl: server.mqttUrl,
    } as const
    ;[mia, bob] = await Promise.all([openSdkClient(at), openSdkClient(at)])
    await Promise.all([mia.login({ userId: 'mia' }), bob.login({ userId: 'bob' })])
    communityId = (await createCommunity(await server.as('mia'), { userIds: ['bob'] })).communityId
  })

  afterAll(async () => {
    await closeSdkClients(mia, bob).finally(() => server?.close())
  })

  const sees = (fits: (events: Shown[]) => boolean) =>
    bob.until<Page<Shown>>('events', ({ data, loading }) => !loading && fits(data))

  test('a list is opened and stays live', async () => {
    await bob.run(({ sdk, emit, state }, originId) => {
      state.list = sdk.EventRepository.getEvents(
        {
          originType: 'community' as never,
          originId,
          status: 'scheduled' as never,
          sortBy: 'startTime' as never,
          orderBy: 'asc' as never,
          limit: 5,
        },
        (page) => {
          emit('events', page)
          state.page = page
        },
      )
      state.community = sdk.CommunityRepository.getCommunity(originId, ({ data }) => {
        if (data) state.topic ??= sdk.subscribeTopic(sdk.getCommunityTopic(data))
      })
    }, communityId)
    await sees((events) => events.length === 0)
    await bob.subscribed((topic) => topic.endsWith(`community/${communityId}`))
  })

  test('an event appears', async () => {
    const made = await mia.run(
      async ({ sdk }, { originId, startTime, endTime }) => {
        const { data } = await sdk.EventRepository.createEvent({
          title: 'Walk',
          description: 'Along the river',
          type: 'virtual' as never,
          startTime,
          endTime,
          originType: 'community' as never,
          originId,
          externalUrl: 'https://example.com',
          metadata: { timezone: 'Europe/Berlin' },
        } as never)
        return { ...data, host: data.creator?.userId, community: data.targetCommunity?.communityId }
      },
      { originId: communityId, startTime: inHours(1), endTime: inHours(2) },
    )
    expect(made).toMatchObject({ title: 'Walk', status: 'scheduled', host: 'mia', community: communityId })
    eventId = made.eventId
    await sees(([event]) => event?.eventId === eventId)
  })

  test('it is answered', async () => {
    const answers = await bob.run(async ({ state }) => {
      const [event] = (state.page as { data: Amity.Event[] }).data
      const before = await event!.getMyRSVP().catch((error: { code: number }) => error.code)
      const going = await event!.createRSVP('going' as never)
      const mine = await event!.getMyRSVP()
      return [before, going?.status, mine?.status, mine?.user?.userId, mine?.respondedAt.createdAt]
    })
    expect(answers).toEqual([400400, 'going', 'going', 'bob', expect.stringMatching(/Z$/)])
    const guests = await mia.run(
      ({ sdk }, eventId) =>
        new Promise<(string | undefined)[]>((resolve) => {
          sdk.EventRepository.getRSVPs({ eventId, status: 'going' as never }, ({ data, loading }) => {
            if (!loading) resolve(data.map((response) => response.user?.userId))
          })
        }),
      eventId,
    )
    expect(guests).toEqual(['bob'])
    const own = await bob.run(
      ({ sdk }) =>
        new Promise<string[]>((resolve) => {
          sdk.EventRepository.getMyEvents({ status: 'going' as never, limit: 5 }, ({ data, loading }) => {
            if (!loading) resolve(data.map((event) => event.title))
          })
        }),
    )
    expect(own).toEqual(['Walk'])
  })

  test('it is changed, live', async () => {
    await mia.run(({ sdk }, id) => sdk.EventRepository.updateEvent(id, { title: 'Long walk' }), eventId)
    const { data } = await sees(([event]) => event?.title === 'Long walk')
    expect(data).toMatchObject([{ rsvpCount: 1 }])
    const left = await bob.run(async ({ state }) => {
      const [event] = (state.page as { data: Amity.Event[] }).data
      return (await event!.updateRSVP('not_going' as never))?.status
    })
    expect(left).toBe('not_going')
  })

  test('it goes', async () => {
    await mia.run(({ sdk }, id) => sdk.EventRepository.deleteEvent(id), eventId)
    await sees((events) => events.length === 0)
  })
})
