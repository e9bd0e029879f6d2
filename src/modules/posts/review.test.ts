import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createCommunity, path as communityPath } from '../../../test/factories/communities.ts'
import { setSocial } from '../../../test/factories/follows.ts'
import {
  createComment,
  createPost,
  inCommunity,
  listPosts,
  path,
  react,
  readPost,
  uploadPicture,
} from '../../../test/factories/posts.ts'
import { listen } from '../../../test/harness/listener.ts'
import type { TestClient } from '../../../test/harness/client.ts'
import { startTestServer, type TestServer } from '../../../test/harness/server.ts'

let server: TestServer
let mia: TestClient
let alice: TestClient
let bob: TestClient
let communityId: string
beforeAll(async () => {
  server = await startTestServer()
  mia = await server.as('mia')
  alice = await server.as('alice')
  bob = await server.as('bob')
  const reviewed = { needApprovalOnPostCreation: true, userIds: ['alice', 'bob'] }
  communityId = (await createCommunity(mia, reviewed)).communityId
})
afterAll(() => server.close())

const submit = (fields: object = {}) => createPost(alice, { ...inCommunity(communityId), ...fields })
const inFeed = async (client: TestClient, feedType: string) =>
  (await listPosts(client, '/api/v5/posts', { ...inCommunity(communityId), feedType })).ids
const counts = async () => {
  const { body } = await mia.get(communityPath(communityId))
  const of = (feedType: string): number =>
    body.feeds.find((feed: { feedType: string }) => feed.feedType === feedType).postCount
  return {
    published: of('published'),
    reviewing: of('reviewing'),
    declined: of('declined'),
    posts: body.communities[0].postsCount as number,
  }
}
const approve = (client: TestClient, postId: string) => client.post(path(postId, '/approve'))
const decline = (client: TestClient, postId: string) => client.post(path(postId, '/decline'))

it('waits unseen but by its author and those who review, then is published', async () => {
  const before = await counts()
  const fileId = await uploadPicture(alice)
  const post = await submit({ attachments: [{ type: 'image', fileId }], hashtags: ['waiting'] })
  expect(post.feedType).toBe('reviewing')
  expect(await counts()).toEqual({ ...before, reviewing: before.reviewing + 1 })
  for (const [client, sees] of [
    [alice, true],
    [mia, true],
    [bob, false],
  ] as const) {
    // prettier-ignore
    expect((await client.get(path(post.postId))).status).toBe(sees ? 200 : 404)
    expect((await inFeed(client, 'reviewing')).includes(post.postId)).toBe(sees)
    expect(await inFeed(client, 'published')).not.toContain(post.postId)
    expect((await listPosts(client, '/api/v4/me/global-feeds')).ids).not.toContain(post.postId)
    expect((await listPosts(client, '/api/v1/search/posts', { hashtags: ['waiting'] })).ids).toEqual([])
  }
  expect((await react(alice, post.postId)).status).toBe(409)
  expect((await approve(bob, post.postId)).status).toBe(404)
  expect(await approve(alice, post.postId)).toMatchObject({ status: 403, body: { code: 400301 } })
  expect((await approve(mia, post.children[0])).status).toBe(400)

  const { status, body } = await approve(mia, post.postId)
  expect(status).toBe(200)
  expect(body.posts[0]).toMatchObject({
    feedType: 'published',
    createdAt: post.createdAt,
    editedAt: post.editedAt,
  })
  expect(body.postChildren[0]).toMatchObject({ feedType: 'published', feedId: body.posts[0].feedId })
  expect(await counts()).toEqual({ ...before, published: before.published + 1, posts: before.posts + 1 })
  expect(await inFeed(bob, 'published')).toContain(post.postId)
  expect((await listPosts(bob, '/api/v1/search/posts', { hashtags: ['waiting'] })).ids).toEqual([post.postId])
  expect(await approve(mia, post.postId)).toMatchObject({ status: 409, body: { code: 400900 } })
  expect((await decline(mia, post.postId)).status).toBe(409)
})

it('is declined: its author still sees it, others never', async () => {
  const before = await counts()
  const { postId } = await submit()
  expect((await decline(mia, postId)).body.posts[0].feedType).toBe('declined')
  expect(await counts()).toEqual({ ...before, declined: before.declined + 1 })
  expect(await inFeed(alice, 'declined')).toContain(postId)
  expect(await inFeed(mia, 'declined')).toContain(postId)
  expect(await inFeed(bob, 'declined')).toEqual([])
  expect((await alice.put(path(postId), { text: 'y' })).status).toBe(409)
  await alice.delete(path(postId))
  expect(await counts()).toEqual(before)
})

it('is not for those who review, and switching it off publishes nothing', async () => {
  expect((await createPost(mia, inCommunity(communityId))).feedType).toBe('published')
  const { postId } = await submit()
  await mia.put(communityPath(communityId), { needApprovalOnPostCreation: false })
  expect(await inFeed(mia, 'reviewing')).toContain(postId)
  expect((await submit()).feedType).toBe('published')
  await mia.put(communityPath(communityId), { needApprovalOnPostCreation: true })
  await decline(mia, postId)
})

it('may be edited while it waits only where the network says so', async () => {
  const { postId } = await submit()
  expect(await alice.put(path(postId), { text: 'y' })).toMatchObject({ status: 403, body: { code: 400300 } })
  await setSocial(server, { isAllowEditPostWhenReviewingEnabled: true })
  expect((await alice.put(path(postId), { text: 'y' })).status).toBe(200)
  await setSocial(server, { isAllowEditPostWhenReviewingEnabled: false })
})

it('takes one verdict of many at once', async () => {
  const before = await counts()
  const { postId } = await submit()
  const answers = await Promise.all([approve(mia, postId), decline(mia, postId), approve(mia, postId)])
  expect(answers.map((answer) => answer.status).sort()).toEqual([200, 409, 409])
  const after = await counts()
  expect(after.reviewing).toBe(before.reviewing)
  expect(after.published + after.declined).toBe(before.published + before.declined + 1)
  expect(after.posts).toBe(after.published)
})

describe('events', () => {
  const topic = () => [`hubbub/social/community/${communityId}/post/+`]
  const readKeys = [
    'posts',
    'postChildren',
    'communities',
    'communityUsers',
    'users',
    'feeds',
    'comments',
    'files',
    'categories',
  ]

  it('of what is not published reach only its author and those who review', async () => {
    await server.settled()
    const [public_, author, reviewer] = await Promise.all([
      listen(server, bob, topic()),
      listen(server, alice),
      listen(server, mia),
    ])
    const { postId } = await submit()
    for (const one of [author, reviewer]) {
      const { data, path: at } = await one.next('post.created')
      expect(data.posts).toMatchObject([{ postId, feedType: 'reviewing' }])
      expect(at).toBe(`hubbub/social/community/${communityId}/post/${postId}`)
    }
    const declined = (await submit()).postId
    await decline(mia, declined)
    expect((await author.next('post.declined')).data.posts).toMatchObject([
      { postId: declined, feedType: 'declined' },
    ])
    await alice.delete(path(declined))
    await reviewer.next('post.deleted')
    await approve(mia, postId)
    const { data } = await public_.next('post.approved')
    expect(data.posts).toMatchObject([{ postId, feedType: 'published' }])
    for (const key of readKeys) expect(data).toHaveProperty(key)
    expect(public_.names()).toEqual(['post.approved'])
    for (const one of [public_, author, reviewer]) one.close()
  })

  it('of what is published say what a fresh reading says, without anything personal', async () => {
    await server.settled()
    const listener = await listen(server, bob, topic())
    const { postId } = await createPost(mia, inCommunity(communityId))
    const steps: [event: string, act: () => Promise<unknown>, extra?: object][] = [
      ['post.updated', () => mia.put(path(postId), { text: 'edited' })],
      ['post.addReaction', () => react(bob, postId), { reactor: { userId: 'bob', reactionName: 'like' } }],
      ['post.removeReaction', () => bob.delete('/api/v2/reactions', { referenceType: 'post', referenceId: postId, reactionName: 'like' }), { reactor: { userId: 'bob' } }],
      ['post.flagged', () => bob.post(path(postId, '/flag'), { reason: 'Spam or scams' }), { flaggedUserId: 'bob' }],
      ['post.unflagged', () => bob.delete(path(postId, '/unflag')), { flaggedUserId: 'bob' }],
      ['post.deleted', () => mia.delete(path(postId))],
    ] // prettier-ignore
    await listener.next('post.created')
    for (const [event, act, extra = {}] of steps) {
      await act()
      const { data } = await listener.next(event)
      expect(data).toMatchObject(extra)
      const { myReactions: _personal, ...now } = await readPost(mia, postId)
      expect(data.posts).toEqual([now])
    }
    listener.close()
  })
})

describe('flags', () => {
  const flagged = async () => (await mia.get(communityPath(communityId))).body.communities[0].hasFlaggedPost

  it('count once for each person, show to the one who flagged, and are cleared by those who moderate', async () => {
    const { postId } = await createPost(mia, inCommunity(communityId))
    expect(await flagged()).toBe(false)
    const flag = (client: TestClient) =>
      client.post(path(postId, '/flag'), { reason: 'Others', detail: 'odd' })
    await Promise.all([flag(alice), flag(alice), flag(bob)])
    expect(await readPost(mia, postId)).toMatchObject({
      flagCount: 2,
      hashFlag: { bits: expect.any(Number) },
    })
    expect((await bob.get(path(postId, '/isflagbyme'))).body).toEqual({
      status: 'success',
      result: true,
      isFlagByMe: true,
      data: { result: true },
    })
    expect((await mia.get(path(postId, '/isflagbyme'))).body.result).toBe(false)
    expect(await flagged()).toBe(true)
    expect(
      (await listPosts(mia, '/api/v4/posts', { ...inCommunity(communityId), hasFlag: true })).ids,
    ).toEqual([postId])
    expect((await bob.delete(path(postId, '/unflag'))).body.posts[0].flagCount).toBe(1)
    expect((await bob.delete(path(postId, '/unflag'))).body.posts[0].flagCount).toBe(1)
    expect(await alice.delete(path(postId, '/flags'))).toMatchObject({ status: 403, body: { code: 400301 } })
    expect((await mia.delete(path(postId, '/flags'))).body.posts[0]).toMatchObject({
      flagCount: 0,
      hashFlag: null,
    })
    expect(await flagged()).toBe(false)
  })

  it('of what is attached, and of comments, show on the post; they leave the community with it', async () => {
    const attachments = [{ type: 'image', fileId: await uploadPicture(mia) }]
    const { postId, children } = await createPost(mia, { ...inCommunity(communityId), attachments })
    await bob.post(path(children[0], '/flag'))
    const { commentId } = await createComment(alice, postId)
    await bob.post(`/api/v3/comments/${commentId}/flag`)
    expect(await readPost(mia, postId)).toMatchObject({
      hasFlaggedChildren: true,
      hasFlaggedComment: true,
      flagCount: 0,
    })
    const community = async () => (await mia.get(communityPath(communityId))).body.communities[0]
    expect(await community()).toMatchObject({ hasFlaggedPost: true, hasFlaggedComment: true })
    await mia.delete(path(postId))
    expect(await community()).toMatchObject({ hasFlaggedPost: false, hasFlaggedComment: false })
    expect((await bob.post(path(postId, '/flag'))).status).toBe(404)
  })

  const limits: [name: string, body: object, http: number][] = [
    ['a reason of 300', { reason: 'x'.repeat(300) }, 200],
    ['a reason of 301', { reason: 'x'.repeat(301) }, 422],
    ['a detail of 301', { detail: 'x'.repeat(301) }, 422],
  ]
  it.each(limits)('limit: %s', async (_name, body, http) => {
    const { postId } = await createPost(mia, inCommunity(communityId))
    expect((await bob.post(path(postId, '/flag'), body)).status).toBe(http)
  })
})
