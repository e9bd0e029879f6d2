import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createCommunity, join, privacies } from '../../../test/factories/communities.ts'
import { block, setSocial } from '../../../test/factories/follows.ts'
import {
  createComment,
  createPost,
  inCommunity,
  listPosts,
  path,
  react,
  readPost,
  uploadPicture,
  uploadText,
} from '../../../test/factories/posts.ts'
import { createRoom } from '../../../test/factories/rooms.ts'
import { createStream } from '../../../test/factories/streams.ts'
import type { TestClient } from '../../../test/harness/client.ts'
import { startTestServer, type TestServer } from '../../../test/harness/server.ts'

let server: TestServer
let alice: TestClient
let bob: TestClient
let admin: TestClient
let communityId: string
beforeAll(async () => {
  server = await startTestServer()
  alice = await server.as('alice')
  bob = await server.as('bob')
  admin = await server.asAdmin()
  communityId = (await createCommunity(alice, { userIds: ['bob'] })).communityId
})
afterAll(() => server.close())

const create = (client: TestClient, fields: object, version = 'v4') =>
  client.post(`/api/${version}/posts`, { data: { text: 'x' }, ...fields })
const image = (fileId: string) => ({ type: 'image', fileId })

describe('creating', () => {
  it('answers all that was said, and who and what it refers to', async () => {
    const fileId = await uploadPicture(bob)
    const said = {
      data: { title: 'Owls', text: 'See @alice' },
      tags: ['birds'],
      hashtags: ['Owl', '#Night'],
      metadata: { 'a b': [1, { c: null }] },
      links: [
        { url: 'https://a.example/x', index: 4, length: 6, renderPreview: true, domain: 'a.example', title: 'A', imageUrl: 'https://a.example/i.png' },
      ],
      productTags: [{ productId: 'p1', text: 'Owl', index: 0, length: 3 }],
    } // prettier-ignore
    const { status, body } = await create(bob, {
      ...said,
      ...inCommunity(communityId),
      mentionees: [{ type: 'user', userIds: ['alice', 'alice', 'nobody'] }],
      attachments: [image(fileId)],
    })
    expect(status).toBe(200)
    const [post] = body.posts
    const [child] = body.postChildren
    expect(post).toMatchObject({
      ...said,
      _id: post.postId,
      parentPostId: null,
      postedUserId: 'bob',
      postedUserPublicId: 'bob',
      postedUserInternalId: bob.id,
      publisherId: 'bob',
      publisherPublicId: 'bob',
      sharedUserId: null,
      targetId: communityId,
      targetType: 'community',
      targetPublicId: communityId,
      targetInternalId: communityId,
      feedType: 'published',
      dataType: 'text',
      structureType: 'image',
      mentionees: [{ type: 'user', userIds: ['alice'], userPublicIds: ['alice'], userInternalIds: [alice.id] }],
      children: [child.postId],
      childrenNumber: 1,
      comments: [],
      commentsCount: 0,
      reactions: {},
      reactionsCount: 0,
      myReactions: [],
      sharedCount: 0,
      flagCount: 0,
      hashFlag: null,
      hasFlaggedComment: false,
      hasFlaggedChildren: false,
      impression: 0,
      reach: 0,
      pinnedProductId: null,
      isDeleted: false,
      path: `hubbub/social/community/${communityId}/post/${post.postId}`,
    }) // prettier-ignore
    // What was never edited must not show as edited.
    expect(post.editedAt).toBe(post.createdAt)
    expect(child).toMatchObject({ dataType: 'image', structureType: 'image', data: { fileId }, parentPostId: post.postId, children: [] }) // prettier-ignore
    expect(child).not.toHaveProperty('publisherId')
    expect(body.feeds).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ feedId: post.feedId, targetId: communityId, feedType: 'published' }),
      ]),
    )
    expect(body.users.map((user: { userId: string }) => user.userId).sort()).toEqual(['alice', 'bob'])
    expect(body.files).toMatchObject([{ fileId }])
    expect(body.communities).toMatchObject([{ communityId }])
    expect(body.communityUsers.map((user: { userId: string }) => user.userId)).toContain('bob')
    expect(await readPost(bob, post.postId)).toEqual(post)
  })

  it('goes to the writer’s own page unless told otherwise', async () => {
    expect(await createPost(bob)).toMatchObject({
      targetType: 'user',
      targetId: 'bob',
      targetInternalId: bob.id,
    })
  })

  it('takes what the app names itself, whatever its name holds', async () => {
    const post = await createPost(bob, { targetType: 'content', targetId: 'a/b#+ c' })
    expect(post).toMatchObject({ targetType: 'content', targetId: 'a/b#+ c' })
    expect(post.path).toBe(`hubbub/social/content/a%2Fb%23%2B%20c/post/${post.postId}`)
    const { ids } = await listPosts(alice, '/api/v5/posts', { targetType: 'content', targetId: 'a/b#+ c' })
    expect(ids).toEqual([post.postId])
  })

  const attachedAs: [type: string, structure: string, attach: () => Promise<object>][] = [
    ['image', 'image', async () => ({ attachments: [image(await uploadPicture(bob))] })],
    ['file', 'file', async () => ({ attachments: [{ type: 'file', fileId: await uploadText(bob) }] })],
    ['liveStream', 'liveStream', async () => ({ dataType: 'liveStream', data: { text: 'live', streamId: (await createStream(bob)).streamId } })],
    ['room', 'room', async () => ({ dataType: 'room', data: { title: 'talk', roomId: (await createRoom(bob)).roomId } })],
  ] // prettier-ignore
  it.each(attachedAs)('attaches as a child post: %s', async (type, structure, attach) => {
    const { body } = await create(bob, await attach())
    expect(body.posts[0]).toMatchObject({ structureType: structure, children: [expect.any(String)] })
    expect(body.postChildren).toMatchObject([{ dataType: type }])
  })

  it('attaches the lists of the oldest operation, and calls several types mixed', async () => {
    const images = [await uploadPicture(bob)]
    const { body } = await create(bob, { data: { text: 'x', images, files: [await uploadText(bob)] } }, 'v3')
    expect(body.posts[0].structureType).toBe('mixed')
    expect(body.postChildren.map((child: { dataType: string }) => child.dataType)).toEqual(['image', 'file'])
    expect(body.posts[0].data).toEqual({ text: 'x' })
  })

  it("keeps an app's own data type as it came", async () => {
    const post = await createPost(bob, { dataType: 'app.recipe', data: { steps: [1, { a: null }] } })
    expect(post).toMatchObject({
      dataType: 'app.recipe',
      structureType: 'app.recipe',
      data: { steps: [1, { a: null }] },
    })
  })

  it("takes a client's id once, and only admins' times", async () => {
    const postId = 'abcdefabcdefabcdefabcdef'
    expect((await create(bob, { postId })).body.posts[0].postId).toBe(postId)
    expect(await create(bob, { postId })).toMatchObject({ status: 409, body: { code: 400315 } })
    const createdAt = '2020-01-02T03:04:05.678Z'
    expect(await create(bob, { createdAt })).toMatchObject({ status: 403, body: { code: 400301 } })
    expect((await create(admin, { createdAt })).body.posts[0]).toMatchObject({
      createdAt,
      editedAt: createdAt,
    })
  })

  it('refuses a blocked word, in what is written and in what is edited', async () => {
    expect((await admin.post('/api/v3/blocklists', { regexs: ['forbidden'] })).status).toBe(200)
    const refused = { status: 403, body: { code: 400308 } }
    const { postId } = await createPost(bob)
    expect(await create(bob, { data: { text: 'so forbidden' } })).toMatchObject(refused)
    expect(await create(bob, { data: { text: 'x', title: 'forbidden' } })).toMatchObject(refused)
    expect(await bob.put(path(postId), { data: { text: 'forbidden' } })).toMatchObject(refused)
  })

  const text = (length: number) => 'x'.repeat(length)
  const names = (count: number, length = 3) =>
    Array.from({ length: count }, (_, i) => `${i}`.padStart(length, 'x'))
  const limits: [name: string, fields: () => object | Promise<object>, http: number][] = [
    ['text 50000', () => ({ data: { text: text(50_000) } }), 200],
    ['text 50001', () => ({ data: { text: text(50_001) } }), 422],
    ['title 150', () => ({ data: { title: text(150) } }), 200],
    ['title 151', () => ({ data: { title: text(151) } }), 422],
    ['5 tags of 24', () => ({ tags: names(5, 24) }), 200],
    ['6 tags', () => ({ tags: names(6) }), 422],
    ['a tag of 25', () => ({ tags: [text(25)] }), 422],
    ['30 hashtags of 100', () => ({ hashtags: names(30, 100) }), 200],
    ['31 hashtags', () => ({ hashtags: names(31) }), 422],
    ['a hashtag of 101', () => ({ hashtags: [text(101)] }), 422],
    ['30 mentions', () => ({ mentionees: [{ type: 'user', userIds: names(30) }] }), 200],
    ['31 mentions', () => ({ mentionees: [{ type: 'user', userIds: names(31) }] }), 422],
    ['100 links', () => ({ links: names(100).map((name) => ({ url: `https://${name}.example` })) }), 200],
    ['101 links', () => ({ links: names(101).map((name) => ({ url: `https://${name}.example` })) }), 422],
    ['10 attachments', async () => ({ attachments: Array(10).fill(image(await uploadPicture(bob))) }), 200],
    ['11 attachments', async () => ({ attachments: Array(11).fill(image(await uploadPicture(bob))) }), 422],
    ['metadata of 100 kB', () => ({ metadata: { a: text(100_000 - 8) } }), 200],
    ['metadata over 100 kB', () => ({ metadata: { a: text(100_000 - 7) } }), 422],
    ['own data of 100 kB', () => ({ dataType: 'app.x', data: { a: text(100_000 - 8) } }), 200],
    ['own data over 100 kB', () => ({ dataType: 'app.x', data: { a: text(100_000 - 7) } }), 422],
    ['an id that is none', () => ({ postId: 'me' }), 422],
    ['nothing said', () => ({ data: { text: ' \n ' } }), 400],
    ['only a title', () => ({ data: { title: 'Owls' } }), 200],
    ['an unknown file', () => ({ attachments: [image('f'.repeat(24))] }), 404],
    ['a file as what it is not', async () => ({ attachments: [image(await uploadText(bob))] }), 400],
    ['a stream without an id', () => ({ dataType: 'liveStream', data: { text: 'x' } }), 422],
    ['a poll that is not there', () => ({ dataType: 'poll', data: { pollId: 'f'.repeat(24) } }), 404],
    ['a community without an id', () => ({ targetType: 'community' }), 422],
    ['an unknown community', () => inCommunity('f'.repeat(24)), 404],
    ["somebody else's page", () => ({ targetType: 'user', targetId: 'alice' }), 403],
    ['a NUL', () => ({ data: { text: 'a\u0000b' } }), 422],
  ]
  it.each(limits)('limit: %s', async (_name, fields, http) => {
    const answer = await create(bob, await fields())
    expect(answer.status, JSON.stringify(answer.body)).toBe(http)
  })
})

describe('reading', () => {
  it('hides posts with what they are in, and drops them from lists by id', async () => {
    const carol = await server.as('carol')
    for (const [privacy, seen] of [
      ['public', true],
      ['discoverable', false],
      ['hidden', false],
    ] as const) {
      // prettier-ignore
      const { communityId: id } = await createCommunity(alice, privacies[privacy])
      const { postId } = await createPost(alice, inCommunity(id))
      const { status, body } = await carol.get(path(postId))
      expect([privacy, status]).toEqual([privacy, seen ? 200 : 404])
      if (!seen) expect(body.code).toBe(400400)
      const own = (await createPost(carol)).postId
      const listed = await listPosts(carol, '/api/v3/posts/list', { postIds: [postId, own, 'unknown'] })
      expect(listed.ids).toEqual(seen ? [postId, own] : [own])
      expect((await listPosts(alice, '/api/v3/posts/list', { postIds: [postId] })).ids).toEqual([postId])
      expect(await readPost(admin, postId)).toBeDefined()
    }
  })

  it('hides the posts of people one blocked or is blocked by, but not from those who moderate', async () => {
    const [dave, erin] = [await server.as('dave'), await server.as('erin')]
    await join(dave, communityId)
    const { postId } = await createPost(dave, inCommunity(communityId))
    await block(erin, 'dave')
    expect((await erin.get(path(postId))).status).toBe(404)
    const erins = (await createPost(erin)).postId
    expect((await dave.get(path(erins))).status).toBe(404)
    await block(alice, 'dave')
    expect(await readPost(alice, postId)).toBeDefined()
    expect((await react(erin, postId)).status).toBe(404)
  })

  it('keeps pages for followers where the network says so', async () => {
    const { postId } = await createPost(alice)
    const carol = await server.as('carol')
    await setSocial(server, { userPrivacySetting: 'private' })
    try {
      expect((await carol.get(path(postId))).status).toBe(404)
      expect((await carol.get('/api/v4/user-feeds/alice')).status).toBe(403)
      await carol.post('/api/v4/me/following/alice')
      expect((await carol.get(path(postId))).status).toBe(200)
      expect((await listPosts(carol, '/api/v4/user-feeds/alice')).ids).toContain(postId)
    } finally {
      await setSocial(server, { userPrivacySetting: 'public' })
    }
  })

  it('brings the newest comments along', async () => {
    const { postId } = await createPost(alice)
    const { commentId } = await createComment(bob, postId)
    const { body } = await alice.get(path(postId))
    expect(body.posts[0]).toMatchObject({ comments: [commentId], commentsCount: 1 })
    expect(body.comments).toMatchObject([{ commentId }])
  })
})
