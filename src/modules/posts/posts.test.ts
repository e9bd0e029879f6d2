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
    ['liveStream', 'liveStream', async () => ({ dataType: 'liveStream', data: { text: 'live', streamId: 'stream-1' } })],
    ['room', 'room', async () => ({ dataType: 'room', data: { title: 'talk', roomId: 'room-1' } })],
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

describe('editing', () => {
  const edit = (client: TestClient, postId: string, fields: object, version = 'v4') =>
    client.put(path(postId, '', version), fields)
  const versions = async (postId: string) => (await alice.get(path(postId, '/versions'))).body.versions

  it('changes what is named, leaves the rest, and keeps what was said', async () => {
    const before = await createPost(alice, {
      data: { title: 'Owls', text: 'one' },
      tags: ['a'],
      metadata: { a: 1 },
      mentionees: [{ type: 'user', userIds: ['bob'] }],
    })
    const { status, body } = await edit(alice, before.postId, { data: { text: 'two' }, hashtags: ['New'] })
    expect(status).toBe(200)
    const [after] = body.posts
    expect(after).toEqual({
      ...before,
      data: { title: 'Owls', text: 'two' },
      hashtags: ['New'],
      editedAt: after.editedAt,
      updatedAt: after.updatedAt,
    })
    expect(after.editedAt > before.editedAt && after.updatedAt >= after.editedAt).toBe(true)
    expect(await versions(before.postId)).toMatchObject([
      { version: 1, data: { title: 'Owls', text: 'one' }, hashtags: [], tags: ['a'], editedBy: 'alice', editedAt: after.editedAt },
    ]) // prettier-ignore
    const cleared = await edit(
      alice,
      before.postId,
      { text: 'three', data: { title: null }, mentionees: [] },
      'v3',
    )
    expect(cleared.body.posts[0]).toMatchObject({ data: { text: 'three' }, mentionees: [], tags: ['a'] })
  })

  it('keeps the last ten versions, for its author and those who moderate', async () => {
    const { postId } = await createPost(alice, { data: { text: '0' } })
    for (let i = 1; i <= 12; i++) await edit(alice, postId, { data: { text: `${i}` } })
    const kept = await versions(postId)
    expect(kept.map((one: { data: { text: string } }) => one.data.text)).toEqual(
      Array.from({ length: 10 }, (_, i) => `${11 - i}`),
    )
    expect(await bob.get(path(postId, '/versions'))).toMatchObject({ status: 403, body: { code: 400301 } })
    expect((await admin.get(path(postId, '/versions'))).status).toBe(200)
  })

  it('does not show as edited when told so, or when only its products change', async () => {
    const before = await createPost(alice)
    const answer = await alice.send('PUT', path(before.postId, '', 'v4'), {
      body: JSON.stringify({ data: { text: 'quietly' } }),
      headers: { 'content-type': 'application/json', 'preserve-edited-at': 'true' },
    })
    expect(answer.body.posts[0]).toMatchObject({ data: { text: 'quietly' }, editedAt: before.editedAt })
    const product = await edit(alice, before.postId, {
      pinnedProductId: 'p1',
      productTags: [{ productId: 'p1' }],
    })
    expect(product.body.posts[0]).toMatchObject({
      pinnedProductId: 'p1',
      productTags: [{ productId: 'p1' }],
      editedAt: before.editedAt,
    })
    expect(
      (await edit(alice, before.postId, { pinnedProductId: null })).body.posts[0].pinnedProductId,
    ).toBeNull()
    expect(await versions(before.postId)).toHaveLength(1)
  })

  it('replaces attachments in order; what stays attached stays the post it was', async () => {
    const [first, second] = [await uploadPicture(alice), await uploadPicture(alice)]
    const text = await uploadText(alice)
    const before = await createPost(alice, { attachments: [image(first), image(second)] })
    const [one, two] = before.children
    await react(bob, two)
    const { body } = await edit(alice, before.postId, {
      attachments: [image(second), { type: 'file', fileId: text }],
    })
    const [post] = body.posts
    expect(post.children).toEqual([two, expect.any(String)])
    expect(post).toMatchObject({ structureType: 'mixed', childrenNumber: 2 })
    const children = new Map(body.postChildren.map((child: { postId: string }) => [child.postId, child]))
    expect(children.get(two)).toMatchObject({ reactionsCount: 1, data: { fileId: second } })
    expect(children.get(post.children[1])).toMatchObject({ dataType: 'file', data: { fileId: text } })
    expect(await readPost(alice, one)).toMatchObject({ isDeleted: true })
    expect((await edit(alice, before.postId, { attachments: [], text: '' })).status).toBe(400)
    expect((await edit(alice, before.postId, { attachments: [] })).body.posts[0]).toMatchObject({
      children: [],
      structureType: 'text',
    })
  })

  it('gives something attached another file of its type', async () => {
    const { children } = await createPost(alice, { attachments: [image(await uploadPicture(alice))] })
    const [child] = children
    const fileId = await uploadPicture(alice)
    const { body } = await edit(alice, child, { data: { fileId } })
    expect(body.posts).toMatchObject([{ postId: child, data: { fileId }, dataType: 'image' }])
    expect((await edit(alice, child, { data: { fileId: await uploadText(alice) } })).status).toBe(400)
    expect((await edit(alice, child, { data: { thumbnailFileId: fileId } })).status).toBe(400)
    expect((await edit(alice, child, { data: { streamId: 's' } })).status).toBe(400)
  })

  it('refuses what is gone', async () => {
    const { postId } = await createPost(alice)
    await alice.delete(path(postId))
    expect(await edit(alice, postId, { text: 'x' })).toMatchObject({ status: 404, body: { code: 400400 } })
    expect((await edit(alice, 'unknown', { text: 'x' })).status).toBe(404)
  })
})

describe('deleting', () => {
  it('takes a post with all that is attached to it, and leaves it readable by its id', async () => {
    const before = await createPost(alice, { attachments: [image(await uploadPicture(alice))] })
    const answer = await alice.delete(`${path(before.postId, '', 'v4')}?permanent=false`)
    expect(answer.body).toEqual({ status: 'success', success: true, data: { success: true } })
    expect(await readPost(bob, before.postId)).toMatchObject({ isDeleted: true, data: before.data })
    expect(await readPost(bob, before.children[0])).toMatchObject({ isDeleted: true })
    expect((await react(bob, before.postId)).status).toBe(404)
    expect((await alice.delete(path(before.postId))).status).toBe(200)
  })

  it('takes something attached from its post', async () => {
    const attachments = [image(await uploadPicture(alice)), { type: 'file', fileId: await uploadText(alice) }]
    const { postId, children } = await createPost(alice, { attachments })
    await alice.delete(path(children[1]))
    expect(await readPost(alice, postId)).toMatchObject({
      isDeleted: false,
      children: [children[0]],
      structureType: 'image',
    })
  })

  it('leaves nothing that anybody wrote when it is for good, also after a soft delete', async () => {
    const fields = { data: { text: 'secret-1' }, hashtags: ['secret-2'], metadata: { a: 'secret-3' } }
    for (const softly of [false, true]) {
      const attachments = [image(await uploadPicture(alice))]
      const { postId, children } = await createPost(alice, { ...fields, attachments })
      await alice.put(path(postId), { text: 'secret-4' })
      await createComment(bob, postId, { data: { text: 'secret-5' } })
      await react(bob, postId, 'secret-6')
      await bob.post(path(postId, '/flag'), { reason: 'Others', detail: 'secret-7' })
      if (softly) await alice.delete(path(postId))
      expect((await alice.delete(`${path(postId)}?permanent=true`)).status).toBe(200)
      for (const id of [postId, ...children]) expect((await alice.get(path(id))).status).toBe(404)
      expect((await listPosts(alice, '/api/v3/posts/list', { postIds: [postId] })).ids).toEqual([])
      expect((await alice.delete(path(postId))).status).toBe(404)
    }
    const left: string[] = []
    for (const table of [
      'posts',
      'postVersions',
      'postHashtags',
      'comments',
      'reactions',
      'flags',
    ] as const) {
      const rows = await server.app.db.selectFrom(table).selectAll().execute()
      if (JSON.stringify(rows).includes('secret-')) left.push(table)
    }
    expect(left).toEqual([])
  })
})
