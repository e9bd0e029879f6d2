import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { startTestServer } from '../harness/server.ts'
import { closeSdkClients, openSdkClient, type SdkClient } from './client.ts'
import { redPixel } from './pictures.ts'

vi.setConfig({ testTimeout: 20_000, hookTimeout: 60_000 })

type Live<T> = { data: T[]; loading: boolean; error?: unknown }

/** One story told step by step: each step builds on the ones before. */
describe('first steps with the 6.35 client', () => {
  let server: Awaited<ReturnType<typeof startTestServer>>
  let alice: SdkClient<'6.35'>
  let bob: SdkClient<'6.35'>
  let communityId: string
  let postId: string
  let fileId: string
  let channelId: string
  let subChannelId: string

  beforeAll(async () => {
    server = await startTestServer()
    const at = {
      version: '6.35',
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
  })

  test('a community is created and joined', async () => {
    const { data } = await alice.run(({ sdk }) =>
      sdk.CommunityRepository.createCommunity({
        displayName: 'Birdwatchers',
        description: 'Early mornings',
        isPublic: true,
        tags: ['birds'],
        metadata: { nested: { kept: true } },
      }),
    )
    expect(data).toMatchObject({
      displayName: 'Birdwatchers',
      isJoined: true,
      isDeleted: false,
      membersCount: 1,
      tags: ['birds'],
      metadata: { nested: { kept: true } },
    })
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
      form.append('files', new File([picture], 'pixel.png', { type: 'image/png' }))
      return (await sdk.FileRepository.uploadImage(form)).data
    }, redPixel)
    expect(file).toMatchObject({ fileId: expect.any(String), fileUrl: expect.stringMatching(/^http/) })
    fileId = file!.fileId

    const created = await alice.run(
      async ({ sdk }, { targetId, fileId }) => {
        const { data } = await sdk.PostRepository.createPost({
          targetType: 'community',
          targetId,
          data: { text: 'The picture' },
          attachments: [{ type: 'image', fileId }],
        })
        const child = await sdk.PostRepository.getPostByIds(data.children)
        return { post: data, child: child.data[0] }
      },
      { targetId: communityId, fileId },
    )
    expect(created.post).toMatchObject({ data: { text: 'The picture' }, children: [expect.any(String)] })
    expect(created.child).toMatchObject({
      dataType: 'image',
      data: { fileId },
      parentPostId: created.post.postId,
    })
  })

  test('the file can be read again and downloaded', async () => {
    const { data } = await bob.run(({ sdk }, id) => sdk.FileRepository.getFile(id), fileId)
    expect(data).toMatchObject({ fileId, attributes: { name: 'pixel.png', extension: 'png' } })
    const answer = await fetch(data.fileUrl)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe('image/png')
  })

  test('a comment and a reply are written and listed', async () => {
    const { comment, reply } = await bob.run(async ({ sdk }, referenceId) => {
      const on = { referenceType: 'post', referenceId } as const
      const comment = await sdk.CommentRepository.createComment({ ...on, data: { text: 'Where?' } })
      const parentId = comment.data.commentId
      const reply = await sdk.CommentRepository.createComment({ ...on, parentId, data: { text: 'There.' } })
      return { comment: comment.data, reply: reply.data }
    }, postId)
    expect(comment).toMatchObject({ userId: 'bob', referenceId: postId, data: { text: 'Where?' } })
    expect(reply.parentId).toBe(comment.commentId)

    await alice.run(({ sdk, emit, state }, referenceId) => {
      state.comments = sdk.CommentRepository.getComments({ referenceType: 'post', referenceId }, (page) =>
        emit('comments', page),
      )
    }, postId)
    const page = await alice.until<Live<Amity.Comment>>('comments', ({ loading }) => !loading)
    expect(page.error).toBeUndefined()
    expect(page.data).toMatchObject([{ commentId: comment.commentId, children: [reply.commentId] }])
  })

  test('a channel is created and joined', async () => {
    const { data } = await alice.run(({ sdk }) =>
      sdk.ChannelRepository.createChannel({ type: 'community', displayName: 'Sightings', tags: ['live'] }),
    )
    expect(data).toMatchObject({ type: 'community', displayName: 'Sightings', tags: ['live'] })
    channelId = data.channelId
    subChannelId = data.defaultSubChannelId
    expect(await bob.run(({ sdk }, id) => sdk.ChannelRepository.joinChannel(id), channelId)).toBe(true)
  })

  test('a message reaches the other member live', async () => {
    await bob.run(({ sdk, emit, state }, id) => {
      state.raw = sdk.MessageRepository.onMessageCreatedMqtt((message) => emit('raw', message))
      state.list = sdk.MessageRepository.getMessages({ subChannelId: id }, (page) => emit('messages', page))
    }, subChannelId)
    const empty = await bob.until<Live<Amity.Message>>('messages', ({ loading }) => !loading)
    expect(empty).toMatchObject({ data: [] })
    expect(empty.error).toBeUndefined()

    const { data: sent } = await alice.run(
      ({ sdk }, id) =>
        sdk.MessageRepository.createMessage({
          subChannelId: id,
          dataType: 'text',
          data: { text: 'An owl!' },
        }),
      subChannelId,
    )
    expect(sent).toMatchObject({ creatorId: 'alice', channelId, subChannelId, data: { text: 'An owl!' } })

    const raw = await bob.until<Amity.Message>('raw', () => true)
    expect(raw).toMatchObject({ messageId: sent.messageId, creatorId: 'alice', data: { text: 'An owl!' } })
    const page = await bob.until<Live<Amity.Message>>('messages', ({ data }) => data.length > 0)
    expect(page.data).toMatchObject([{ messageId: sent.messageId, channelId, channelSegment: 1 }])
    expect(bob.seen('raw')).toHaveLength(1)
  })

  test('messages come in order and are there after a fresh read', async () => {
    await alice.run(async ({ sdk }, id) => {
      for (const text of ['second', 'third']) {
        await sdk.MessageRepository.createMessage({ subChannelId: id, dataType: 'text', data: { text } })
      }
    }, subChannelId)
    await bob.until<Live<Amity.Message>>('messages', ({ data }) => data.length === 3)
    await alice.run(({ sdk, emit, state }, id) => {
      const query = { subChannelId: id, sortBy: 'segmentAsc' } as const
      state.list = sdk.MessageRepository.getMessages(query, (page) => emit('messages', page))
    }, subChannelId)
    // An event may come in before the page does, so a list that has ended loading is not yet whole.
    const page = await alice.until<Live<Amity.Message<'text'>>>('messages', ({ data }) => data.length >= 3)
    expect(page.data.map((message) => message.data?.text)).toEqual(['An owl!', 'second', 'third'])
  })

  test('users can be queried', async () => {
    await bob.run(({ sdk, emit, state }) => {
      state.users = sdk.UserRepository.getUsers({ sortBy: 'displayName' }, (page) => emit('users', page))
    })
    const page = await bob.until<Live<Amity.User>>('users', ({ loading }) => !loading)
    expect(page.error).toBeUndefined()
    expect(page.data.map((user) => user.userId)).toEqual(expect.arrayContaining(['alice', 'bob']))
  })

  test('the global feed holds the posts of the joined community', async () => {
    const feed = await bob.run(async ({ sdk }) => {
      const { data, paging } = await sdk.FeedRepository.queryGlobalFeed()
      return { texts: data.map((post: Amity.Post) => [post.data.text, post.creator?.displayName]), paging }
    })
    expect(feed.texts).toEqual([
      ['The picture', 'Alice'],
      ['A kingfisher!', 'Alice'],
    ])
  })
  test('what the clients do in the background a while after loading messages succeeds', async () => {
    // They wait two seconds before they ask for read markers, and leave a failure uncaught.
    await bob.run(() => new Promise((resolve) => setTimeout(resolve, 2_500)))
  })
})
