import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { startTestServer } from '../harness/server.ts'
import { closeSdkClients, openSdkClient, type SdkClient } from './client.ts'

vi.setConfig({ testTimeout: 20_000, hookTimeout: 60_000 })

type Live<T> = { data: T; loading: boolean; error?: unknown }

interface Asked {
  status: string
  requestorPublicId: string
  approve(): Promise<void>
  reject(): Promise<void>
}

/** What the client adds to a community, beyond what its types say. */
interface Linked {
  join(): Promise<{ status: string }>
  getMyJoinRequest(): Promise<Asked | undefined>
  getJoinRequests(query: object, callback: (page: Live<Asked[]>) => void): void
  createInvitations(userIds: string[]): Promise<void>
}

/** Communities as the newer client uses them; each step builds on the ones before. */
describe('communities with the 7.20 client', () => {
  let server: Awaited<ReturnType<typeof startTestServer>>
  let alice: SdkClient<'7.20'>
  let bob: SdkClient<'7.20'>
  let categoryId: string
  let id: string

  beforeAll(async () => {
    server = await startTestServer()
    const at = {
      version: '7.20',
      apiKey: server.apiKey,
      httpUrl: server.url,
      mqttUrl: server.mqttUrl,
    } as const
    ;[alice, bob] = await Promise.all([openSdkClient(at), openSdkClient(at)])
    await Promise.all([alice.login({ userId: 'alice' }), bob.login({ userId: 'bob' }), server.as('carol')])
    const admin = await server.asAdmin()
    const { body } = await admin.post('/api/v3/community-categories', { name: 'Birds' })
    categoryId = body.categories[0].categoryId
  })

  afterAll(async () => {
    await closeSdkClients(alice, bob).finally(() => server?.close())
  })

  test('categories are listed and read', async () => {
    const found = await alice.run(
      ({ sdk }, categoryId) =>
        new Promise<{ names: string[]; one?: string }>((resolve) => {
          sdk.CategoryRepository.getCategories({ sortBy: 'name', limit: 10 }, async ({ data, loading }) => {
            if (loading) return
            const { data: one } = await sdk.CategoryRepository.getCategory(categoryId)
            resolve({ names: data.map((category) => category.name), one: one.name })
          })
        }),
      categoryId,
    )
    expect(found).toEqual({ names: ['Birds'], one: 'Birds' })
  })

  test('a community is made with all settings, and changed', async () => {
    const { data } = await alice.run(
      ({ sdk }, categoryId) =>
        sdk.CommunityRepository.createCommunity({
          displayName: 'Birdwatchers',
          description: 'We watch.',
          isPublic: true,
          isDiscoverable: true,
          requiresJoinApproval: false,
          categoryIds: [categoryId],
          tags: ['birds'],
          userIds: ['carol'],
          postSetting: 'ANYONE_CAN_POST',
          storySetting: { enableComment: false },
          metadata: { pond: 1 },
        }),
      categoryId,
    )
    expect(data).toMatchObject({
      postSetting: 'ANYONE_CAN_POST',
      isJoined: true,
      membersCount: 2,
      metadata: { pond: 1 },
    })
    id = data.communityId
    const changed = await alice.run(
      ({ sdk }, id) =>
        sdk.CommunityRepository.updateCommunity(id, {
          description: 'We look.',
          postSetting: 'ONLY_ADMIN_CAN_POST',
        }),
      id,
    )
    expect(changed.data).toMatchObject({ description: 'We look.', postSetting: 'ONLY_ADMIN_CAN_POST' })
  })

  test('it is found in every list', async () => {
    const lists = await bob.run(({ sdk }) => {
      const repository = sdk.CommunityRepository
      type Page = { data: { displayName: string }[]; loading: boolean; error?: unknown }
      const once = (query: (callback: (page: Page) => void) => unknown) =>
        new Promise<string[]>((resolve, reject) => {
          query(({ data, loading, error }) => {
            if (error) reject(error as Error)
            else if (!loading) resolve(data.map((community) => community.displayName))
          })
        })
      return Promise.all([
        once((callback) =>
          repository.getCommunities(
            { membership: 'all', sortBy: 'lastCreated', limit: 10 },
            callback as never,
          ),
        ),
        once((callback) =>
          repository.searchCommunities(
            { displayName: 'bird', membership: 'notMember', limit: 10 } as never,
            callback as never,
          ),
        ),
        once((callback) => repository.getTrendingCommunities({ limit: 5 }, callback as never)),
        once((callback) => repository.getRecommendedCommunities({ limit: 5 }, callback as never)),
      ])
    })
    expect(lists).toEqual([['Birdwatchers'], ['Birdwatchers'], ['Birdwatchers'], ['Birdwatchers']])
    const { data } = await bob.run(({ sdk }, id) => sdk.CommunityRepository.getCommunityByIds([id]), id)
    expect(data).toMatchObject([{ communityId: id, isJoined: false }])
  })

  test('who watches it sees others join, leave and change it, live', async () => {
    await bob.run(({ sdk, emit, state }, id) => {
      state.community = sdk.CommunityRepository.getCommunity(id, (snapshot) =>
        emit('community', { ...snapshot, data: { ...snapshot.data } }),
      )
      state.members = sdk.CommunityRepository.Membership.getMembers({ communityId: id, limit: 20 }, (page) =>
        emit('members', {
          ...page,
          data: page.data.map(({ userId, communityMembership }) => ({ userId, communityMembership })),
        }),
      )
    }, id)
    await bob.until<Live<{ description?: string }>>(
      'community',
      ({ loading, data }) => !loading && data.description === 'We look.',
    )
    await bob.run(({ sdk, state }, id) => {
      state.watched = sdk.CommunityRepository.getCommunity(id, ({ data }) => {
        if (data) state.topic ??= sdk.subscribeTopic(sdk.getCommunityTopic(data))
      })
    }, id)
    await bob.subscribed((topic) => topic.endsWith(`community/${id}`))
    const carol = await server.as('carol')
    await carol.delete(`/api/v3/communities/${id}/leave`)
    await bob.until<Live<{ membersCount: number }>>('community', ({ data }) => data.membersCount === 1)
    await carol.post(`/api/v3/communities/${id}/join`)
    await bob.until<Live<{ userId: string }[]>>('members', ({ data }) =>
      data.some(({ userId }) => userId === 'carol'),
    )
    await alice.run(
      ({ sdk }, id) => sdk.CommunityRepository.updateCommunity(id, { displayName: 'Watchers' }),
      id,
    )
    const seen = await bob.until<Live<{ displayName: string; isJoined: boolean }>>(
      'community',
      ({ data }) => data.displayName === 'Watchers',
    )
    expect(seen.data.isJoined).toBe(false)
  })

  test('members are added, found, promoted, banned and removed', async () => {
    const results = await alice.run(async ({ sdk }, communityId) => {
      const { Membership, Moderation } = sdk.CommunityRepository
      const added = await Membership.addMembers(communityId, ['bob'])
      const search = await new Promise<string[]>((resolve) => {
        Membership.searchMembers({ communityId, search: 'bo', limit: 5 }, ({ data, loading }) => {
          if (!loading) resolve(data.map((member) => member.userId))
        })
      })
      const promoted = await Moderation.addRoles(
        communityId,
        ['community-moderator', 'channel-moderator'],
        ['bob'],
      )
      const moderators = await new Promise<string[]>((resolve) => {
        Membership.getMembers(
          { communityId, roles: ['community-moderator'], limit: 5 },
          ({ data, loading }) => {
            // The change just made may be told before the list is there.
            if (!loading && data.length > 1) resolve(data.map((member) => member.userId).sort())
          },
        )
      })
      const demoted = await Moderation.removeRoles(
        communityId,
        ['community-moderator', 'channel-moderator'],
        ['bob'],
      )
      const { data: banned } = await Moderation.banMembers(communityId, ['bob'])
      const { data: unbanned } = await Moderation.unbanMembers(communityId, ['bob'])
      const back = await Membership.addMembers(communityId, ['bob'])
      const removed = await Membership.removeMembers(communityId, ['bob'])
      const standing = (users: { userId: string; communityMembership: string }[]) =>
        users.map((user) => `${user.userId} ${user.communityMembership}`)
      return {
        added,
        search,
        promoted,
        moderators,
        demoted,
        banned: standing(banned),
        unbanned: standing(unbanned),
        back,
        removed,
      }
    }, id)
    expect(results).toEqual({
      added: true,
      search: ['bob'],
      promoted: true,
      moderators: ['alice', 'bob'],
      demoted: true,
      banned: ['bob banned'],
      unbanned: ['bob none'],
      back: true,
      removed: true,
    })
  })

  test('joining by approval: asked, refused, asked again, let in', async () => {
    const { data } = await alice.run(({ sdk }) =>
      sdk.CommunityRepository.createCommunity({
        displayName: 'Approved',
        isPublic: false,
        isDiscoverable: true,
        requiresJoinApproval: true,
      }),
    )
    const ask = () =>
      bob.run(async ({ sdk }, id) => {
        const { data } = await sdk.CommunityRepository.getCommunityByIds([id])
        const community = data[0] as unknown as Linked
        const { status } = await community.join()
        return { status, own: (await community.getMyJoinRequest())?.status }
      }, data.communityId)
    const answer = (how: 'approve' | 'reject') =>
      alice.run(
        async ({ sdk }, { id, how }) => {
          const { data } = await sdk.CommunityRepository.getCommunityByIds([id])
          return new Promise<string>((resolve, reject) => {
            ;(data[0] as unknown as Linked).getJoinRequests(
              { status: 'pending', limit: 20 },
              ({ data: requests, loading, error }) => {
                if (error) return reject(error as Error)
                const [request] = requests
                if (loading || !request) return
                request[how]().then(() => resolve(request.requestorPublicId), reject)
              },
            )
          })
        },
        { id: data.communityId, how },
      )
    expect(await ask()).toEqual({ status: 'pending', own: 'pending' })
    expect(await answer('reject')).toBe('bob')
    expect(await ask()).toEqual({ status: 'pending', own: 'pending' })
    expect(await answer('approve')).toBe('bob')
    expect(await ask()).toEqual({ status: 'success', own: 'approved' })
    const requests = await bob.run(
      ({ sdk }, id) =>
        new Promise<string[]>((resolve) => {
          sdk.CommunityRepository.getJoinRequestList(
            { communityIds: [id], limit: 5 },
            ({ data, loading }) => {
              if (!loading) resolve(data.map((request) => request.status))
            },
          )
        }),
      data.communityId,
    )
    expect(requests).toEqual(['approved', 'rejected'])
  })

  test('an invitation opens a hidden community', async () => {
    const { data } = await alice.run(({ sdk }) =>
      sdk.CommunityRepository.createCommunity({
        displayName: 'Hidden',
        isPublic: false,
        isDiscoverable: false,
        requiresJoinApproval: false,
      }),
    )
    await alice.run(async ({ sdk }, id) => {
      const { data } = await sdk.CommunityRepository.getCommunityByIds([id])
      await (data[0] as unknown as Linked).createInvitations(['bob'])
    }, data.communityId)
    const found = await bob.run(
      ({ sdk }) =>
        new Promise<{ target?: string; by?: string }>((resolve, reject) => {
          sdk.InvitationRepository.getMyCommunityInvitations({ limit: 5 }, ({ data, loading, error }) => {
            if (error) return reject(error as Error)
            const [invitation] = data
            if (loading || !invitation) return
            const target = invitation.target as { displayName?: string } | undefined
            invitation
              .accept()
              .then(() => resolve({ target: target?.displayName, by: invitation.createdBy?.userId }), reject)
          })
        }),
    )
    expect(found).toEqual({ target: 'Hidden', by: 'alice' })
    const joined = await bob.run(
      ({ sdk }, id) => sdk.CommunityRepository.getCommunityByIds([id]),
      data.communityId,
    )
    expect(joined.data).toMatchObject([{ isJoined: true, membersCount: 2 }])
  })

  test('leaving and deleting', async () => {
    expect(await bob.run(({ sdk }, id) => sdk.CommunityRepository.joinCommunity(id), id)).toBe(true)
    expect(await bob.run(({ sdk }, id) => sdk.CommunityRepository.leaveCommunity(id), id)).toBe(true)
    const deleted = await alice.run(({ sdk }, id) => sdk.CommunityRepository.deleteCommunity(id), id)
    expect(deleted).toMatchObject({ communityId: id, isDeleted: true })
  })
})
