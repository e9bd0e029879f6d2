import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { startTestServer } from '../harness/server.ts'
import { closeSdkClients, openSdkClient, type SdkClient } from './client.ts'
import { redPixel } from './pictures.ts'

vi.setConfig({ testTimeout: 20_000, hookTimeout: 60_000 })

type Live<T> = { data: T[]; loading: boolean; error?: unknown }

/** The story of `first-steps.test.ts` with the newer client; each step builds on the ones before. */
describe('first steps with the 7.20 client', () => {
  let server: Awaited<ReturnType<typeof startTestServer>>
  let alice: SdkClient<'7.20'>
  let bob: SdkClient<'7.20'>
  let communityId: string
  let postId: string
  let fileId: string
  let channelId: string
  let subChannelId: string

  beforeAll(async () => {
    server = await startTestServer()
    const at = {
      version: '7.20',
      apiKey: server.apiKey,
      httpUrl: server.url,
      mqttUrl: server.mqttUrl,
    } as const
    ;[alice, bob] = await Promise.all([openSdkClient(at), openSdkClient(at)])
  })

  afterAll(async () => {
    await closeSdkClients(alice, bob).finally(() => server?.close())
  })

  test('two people sign in', async () => {
    await Promise.all([
      alice.login({ userId: 'alice', displayName: 'Alice' }),
      bob.login({ userId: 'bob', displayName: 'Bob' }),
    ])
    const { data } = await alice.run(({ sdk }) => sdk.UserRepository.getUserByIds(['bob', 'alice']))
    expect(data.map((user) => [user.userId, user.displayName]).sort()).toEqual([
      ['alice', 'Alice'],
      ['bob', 'Bob'],
    ])
    expect(await alice.run(({ sdk }) => sdk.Client.getCurrentUserType())).toBe('signed-in')
  })

  test('a community is created and joined', async () => {
    const { data } = await alice.run(({ sdk }) =>
      sdk.CommunityRepository.createCommunity({
        displayName: 'Birdwatchers',
        isPublic: true,
        isDiscoverable: false,
        requiresJoinApproval: false,
      }),
    )
    expect(data).toMatchObject({ displayName: 'Birdwatchers', isJoined: true, isDeleted: false })
    communityId = data.communityId
    const isMember = await bob.run(({ sdk }, id) => sdk.CommunityRepository.joinCommunity(id), communityId)
    expect(isMember).toBe(true)
  })

  test('a text post appears in the community', async () => {
    const { data } = await alice.run(
      ({ sdk }, targetId) =>
        sdk.PostRepository.createPost({
          targetType: 'community',
          targetId,
          dataType: 'text',
          data: { text: 'A kingfisher!' },
        }),
      communityId,
    )
    expect(data).toMatchObject({ dataType: 'text', data: { text: 'A kingfisher!' }, postedUserId: 'alice' })
    postId = data.postId

    await bob.run(({ sdk, emit, state }, targetId) => {
      const query = { targetType: 'community', targetId, feedType: 'published' } as const
      state.posts = sdk.PostRepository.getPosts(query, (page) => emit('posts', page))
    }, communityId)
    const page = await bob.until<Live<Amity.Post>>('posts', ({ loading }) => !loading)
    expect(page.error).toBeUndefined()
    expect(page.data.map((post) => post.postId)).toEqual([postId])
  })

  test('an uploaded picture becomes an image post', async () => {
    const [file] = await alice.run(async ({ sdk }, picture) => {
      const form = new FormData()
      form.append('file', new File([picture], 'pixel.png', { type: 'image/png' }))
      return (await sdk.FileRepository.uploadImage(form)).data
    }, redPixel)
    expect(file).toMatchObject({ fileId: expect.any(String), fileUrl: expect.stringMatching(/^http/) })
    fileId = file!.fileId

    const post = await alice.run(
      async ({ sdk }, { targetId, fileId }) => {
        const { data } = await sdk.PostRepository.createPost({
          targetType: 'community',
          targetId,
          data: { text: 'The picture' },
          attachments: [{ type: 'image', fileId }],
        })
        return data
      },
      { targetId: communityId, fileId },
    )
    expect(post).toMatchObject({ data: { text: 'The picture' }, children: [expect.any(String)] })
    expect(post.childPosts).toMatchObject([
      { dataType: 'image', data: { fileId }, parentPostId: post.postId },
    ])
  })

  test('the file can be read again', async () => {
    const { data } = await bob.run(({ sdk }, id) => sdk.FileRepository.getFile(id), fileId)
    expect(data).toMatchObject({ fileId, attributes: { name: 'pixel.png', extension: 'png' } })
  })

  test('a comment is written and listed', async () => {
    const { data: comment } = await bob.run(
      ({ sdk }, referenceId) =>
        sdk.CommentRepository.createComment({
          referenceType: 'post',
          referenceId,
          data: { text: 'Where?' },
          links: [],
        }),
      postId,
    )
    await alice.run(({ sdk, emit, state }, referenceId) => {
      state.comments = sdk.CommentRepository.getComments({ referenceType: 'post', referenceId }, (page) =>
        emit('comments', page),
      )
    }, postId)
    const page = await alice.until<Live<Amity.Comment>>('comments', ({ loading }) => !loading)
    expect(page.error).toBeUndefined()
    expect(page.data).toMatchObject([
      { commentId: comment.commentId, userId: 'bob', data: { text: 'Where?' } },
    ])
  })

  test('a channel is created and joined', async () => {
    const { data } = await alice.run(({ sdk }) =>
      sdk.ChannelRepository.createChannel({ type: 'community', displayName: 'Sightings' }),
    )
    expect(data).toMatchObject({ type: 'community', displayName: 'Sightings' })
    channelId = data.channelId
    subChannelId = data.defaultSubChannelId
    expect(await bob.run(({ sdk }, id) => sdk.ChannelRepository.joinChannel(id), channelId)).toBe(true)
  })

  test('messages reach the other member live, in order, and the sender once', async () => {
    const watch = ({ sdk, emit, state }: Parameters<Parameters<typeof bob.run>[0]>[0], id: string) => {
      state.raw = sdk.MessageRepository.onMessageCreatedMqtt((message) => emit('raw', message))
      const query = { subChannelId: id, sortBy: 'segmentAsc' } as const
      state.list = sdk.MessageRepository.getMessages(query, (page) => emit('messages', page))
    }
    await Promise.all([alice.run(watch, subChannelId), bob.run(watch, subChannelId)])
    const empty = await bob.until<Live<Amity.Message>>('messages', ({ loading }) => !loading)
    expect(empty).toMatchObject({ data: [] })

    await alice.run(async ({ sdk }, id) => {
      for (const text of ['An owl!', 'Two owls!']) {
        await sdk.MessageRepository.createMessage({ subChannelId: id, dataType: 'text', data: { text } })
      }
    }, subChannelId)
    await Promise.all([
      alice.until('raw', () => true, { skip: 1 }),
      bob.until('raw', () => true, { skip: 1 }),
    ])
    const isWhole = ({ data }: Live<Amity.Message>) =>
      data.length === 2 && data.every((message) => message.syncState?.toString() === 'synced')
    for (const person of [alice, bob]) {
      const page = await person.until('messages', isWhole)
      expect(page.data).toMatchObject([
        { creatorId: 'alice', channelId, channelSegment: 1, data: { text: 'An owl!' } },
        { creatorId: 'alice', channelId, channelSegment: 2, data: { text: 'Two owls!' } },
      ])
      expect(person.seen<Live<Amity.Message>>('messages').at(-1)?.data).toHaveLength(2)
    }
  })

  test('the global feed holds the posts of the joined community', async () => {
    await bob.run(({ sdk, emit, state }) => {
      state.feed = sdk.FeedRepository.getGlobalFeed({}, (page) =>
        emit('feed', { ...page, data: page.data.map((post) => [post.data.text, post.creator?.displayName]) }),
      )
    })
    const page = await bob.until<Live<string[]>>('feed', ({ loading }) => !loading)
    expect(page.error).toBeUndefined()
    expect(page.data).toEqual([
      ['The picture', 'Alice'],
      ['A kingfisher!', 'Alice'],
    ])
  })

  test('what the clients do in the background a while after loading messages succeeds', async () => {
    // They wait two seconds before they ask for read markers, and leave a failure uncaught.
    await bob.run(() => new Promise((resolve) => setTimeout(resolve, 2_500)))
  })
})
