import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createPost } from '../factories/comments.ts'
import { startTestServer } from '../harness/server.ts'
import { closeSdkClients, openSdkClient, type SdkClient } from './client.ts'
import type { SdkVersion } from './protocol.ts'

vi.setConfig({ testTimeout: 20_000, hookTimeout: 60_000 })

interface Shown {
  commentId: string
  data: { text: string }
  children: string[]
  childrenNumber: number
  flagCount: number
  reactions: Record<string, number>
  myReactions: string[]
  isDeleted: boolean
  creator?: { userId: string }
  childrenComment: { commentId: string }[]
}
type Page = { data: Shown[]; loading: boolean; error?: unknown; hasNextPage: boolean }

/** Comments as the clients use them; bob does, alice watches. Each step builds on the ones before. */
describe.each<SdkVersion>(['6.35', '7.20'])('comments with the %s client', (version) => {
  let server: Awaited<ReturnType<typeof startTestServer>>
  let alice: SdkClient
  let bob: SdkClient
  let postId: string
  let commentId: string

  beforeAll(async () => {
    server = await startTestServer()
    const at = { version, apiKey: server.apiKey, httpUrl: server.url, mqttUrl: server.mqttUrl }
    ;[alice, bob] = await Promise.all([openSdkClient(at), openSdkClient(at)])
    await Promise.all([alice.login({ userId: 'alice' }), bob.login({ userId: 'bob' })])
    const author = await server.as('author')
    postId = (await createPost(author)).postId
  })

  afterAll(async () => {
    await closeSdkClients(alice, bob).finally(() => server?.close())
  })

  const sees = (fits: (comments: Shown[]) => boolean) =>
    alice.until<Page>('comments', ({ data, loading }) => !loading && fits(data))

  test('a list is opened and stays live', async () => {
    await alice.run(async ({ sdk, emit, state }, referenceId) => {
      const plain = (page: { data: unknown[] }) => ({
        ...page,
        // Getters of the client's objects are what apps read.
        data: page.data.map((comment) => JSON.parse(JSON.stringify(comment)) as unknown),
      })
      state.list = sdk.CommentRepository.getComments(
        { referenceType: 'post', referenceId, limit: 5, sortBy: 'lastCreated' } as never,
        ((page: { data: unknown[] }) => emit('comments', plain(page))) as never,
      )
      const { data: post } = await sdk.PostRepository.getPostByIds([referenceId]).then(({ data }) => ({ data: data[0]! }))
      sdk.subscribeTopic(sdk.getPostTopic(post, 'comment' as never))
    }, postId)
    await sees((comments) => comments.length === 0)
    await alice.subscribed((topic) => topic.endsWith(`/post/${postId}/comment/+`))
  }) // prettier-ignore

  test('a comment and its answer appear', async () => {
    commentId = await bob.run(async ({ sdk }, referenceId) => {
      const on = { referenceType: 'post', referenceId } as const
      const { data } = await sdk.CommentRepository.createComment({ ...on, data: { text: 'Where?' } } as never)
      return data.commentId
    }, postId)
    const { data } = await sees((comments) => comments.length === 1)
    expect(data).toMatchObject([{ commentId, data: { text: 'Where?' }, creator: { userId: 'bob' } }])
    const answerId = await bob.run(
      async ({ sdk }, [referenceId, parentId]) => {
        const on = { referenceType: 'post', referenceId, parentId } as const
        const { data } = await sdk.CommentRepository.createComment({
          ...on,
          data: { text: 'There.' },
        } as never)
        return data.commentId
      },
      [postId, commentId] as const,
    )
    const answers = await alice.run(
      ({ sdk }, [referenceId, parentId]) =>
        new Promise<string[]>((resolve) => {
          sdk.CommentRepository.getComments(
            { referenceType: 'post', referenceId, parentId, limit: 5 } as never,
            ({ data, loading }: { data: { commentId: string }[]; loading: boolean }) =>
              loading || resolve(data.map((comment) => comment.commentId)),
          )
        }),
      [postId, commentId] as const,
    )
    expect(answers).toEqual([answerId])
    // Answers are not in the list of the top.
    expect(
      alice
        .seen<Page>('comments')
        .at(-1)!
        .data.map((comment) => comment.commentId),
    ).toEqual([commentId])
  })

  test('it is changed, reacted to and flagged, live', async () => {
    await bob.run(
      ({ sdk }, id) => sdk.CommentRepository.updateComment(id, { data: { text: 'Where exactly?' } } as never),
      commentId,
    )
    await sees(([comment]) => comment?.data.text === 'Where exactly?')
    await bob.run(({ sdk }, id) => sdk.ReactionRepository.addReaction('comment', id, 'like'), commentId)
    const { data } = await sees(([comment]) => comment?.reactions.like === 1)
    expect(data[0]!.myReactions).toEqual([])
    await alice.run(({ sdk }, id) => sdk.ReactionRepository.addReaction('comment', id, 'like'), commentId)
    await sees(([comment]) => comment?.reactions.like === 2 && comment.myReactions[0] === 'like')
    await bob.run(({ sdk }, id) => sdk.ReactionRepository.removeReaction('comment', id, 'like'), commentId)
    await sees(([comment]) => comment?.reactions.like === 1 && comment.myReactions[0] === 'like')
    const flagged = await bob.run(async ({ sdk }, id) => {
      const { flagComment, isCommentFlaggedByMe, unflagComment } = sdk.CommentRepository
      const said = [await flagComment(id), await isCommentFlaggedByMe(id)]
      return [...said, await unflagComment(id), await isCommentFlaggedByMe(id)]
    }, commentId)
    expect(flagged).toEqual([true, true, true, false])
    await sees(([comment]) => comment?.flagCount === 1)
    await sees(([comment]) => comment?.flagCount === 0)
  })

  test('who reacted is listed', async () => {
    const reactors = await bob.run(
      ({ sdk }, referenceId) =>
        new Promise<string[]>((resolve) => {
          sdk.ReactionRepository.getReactions(
            { referenceType: 'comment', referenceId } as never,
            ({ data, loading }: { data: { userId: string }[]; loading: boolean }) =>
              loading || resolve(data.map((reactor) => reactor.userId)),
          )
        }),
      commentId,
    )
    expect(reactors).toEqual(['alice'])
  })

  test('it goes, with its answer', async () => {
    const deleted = await bob.run(
      async ({ sdk }, id) => (await sdk.CommentRepository.deleteComment(id)).isDeleted,
      commentId,
    )
    expect(deleted).toBe(true)
    await sees((comments) => comments.length === 0)
    const author = await server.as('author')
    const { body } = await author.get(`/api/v3/posts/${postId}`)
    expect(body.posts[0].commentsCount).toBe(0)
  })

  test('texts and links are judged before they are sent', async () => {
    const admin = await server.asAdmin()
    await admin.post('/api/v3/blocklists', { regexs: ['bad'] })
    const judged = await bob.run(async ({ client }) => {
      const refused = await client.validateTexts(['so bad']).catch((error: { code: number }) => error.code)
      return [await client.validateTexts(['fine']), refused, await client.validateUrls(['https://a.example'])]
    })
    expect(judged).toEqual([true, 400308, true])
  }) // prettier-ignore
})
