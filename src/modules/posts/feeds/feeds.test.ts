import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createCommunity, join } from '../../../../test/factories/communities.ts'
import { block, follow, setSocial } from '../../../../test/factories/follows.ts'
import {
  createComment,
  createPost,
  inCommunity,
  listPosts,
  path,
  react,
  uploadPicture,
  uploadText,
} from '../../../../test/factories/posts.ts'
import { countQueries } from '../../../../test/harness/count-queries.ts'
import type { TestClient } from '../../../../test/harness/client.ts'
import { startTestServer, type TestServer } from '../../../../test/harness/server.ts'

const global = '/api/v4/me/global-feeds'

let server: TestServer
let alice: TestClient
let bob: TestClient
let carol: TestClient
let admin: TestClient
let joined: string
let other: string
const posts: Record<string, string> = {}
beforeAll(async () => {
  server = await startTestServer()
  alice = await server.as('alice')
  bob = await server.as('bob')
  carol = await server.as('carol')
  admin = await server.asAdmin()
  joined = (await createCommunity(bob, { isPublic: false, userIds: ['alice', 'carol'] })).communityId
  other = (await createCommunity(bob)).communityId
  await follow(alice, 'carol')
  const made: [name: string, client: TestClient, fields: Record<string, unknown>][] = [
    ['mine', alice, {}],
    ["carol's", carol, {}],
    ['in joined', bob, inCommunity(joined)],
    ["carol's in joined", carol, inCommunity(joined)],
    ["bob's page", bob, {}],
    ['in other', bob, inCommunity(other)],
    ['content', bob, { targetType: 'content', targetId: joined }],
  ]
  for (const [name, client, fields] of made) posts[name] = (await createPost(client, fields)).postId
})
afterAll(() => server.close())

const named = (ids: string[]) => ids.map((id) => Object.keys(posts).find((name) => posts[name] === id) ?? id)
const feed = async (client: TestClient, url = global, query: Record<string, unknown> = {}) =>
  named((await listPosts(client, url, { ...query })).ids)

describe('the global feed', () => {
  const own = ['mine']
  const followed = ["carol's"]
  const communities = ["carol's in joined", 'in joined']

  it("draws from one's page, those one follows and one's communities, newest first, in both forms", async () => {
    const { body } = await listPosts(alice, global)
    expect(named(body.posts.map((post: { postId: string }) => post.postId))).toEqual([
      ...communities,
      ...followed,
      ...own,
    ])
    const { status, data, ...top } = body
    expect(status).toBe('success')
    expect(data).toEqual(top)
  })

  const settings: [name: string, changes: object, sees: string[]][] = [
    ['only mine', { showOnlyMyFeed: true }, own],
    ['not mine', { showMyPost: false }, [...communities, ...followed]],
    ['no communities', { showCommunityPost: false }, [...followed, ...own]],
    ['nobody one follows', { showFollowingPost: false }, [...communities, ...own]],
    [
      "everyone's pages",
      { showEveryonePost: true, showCommunityPost: false },
      ["bob's page", ...followed, ...own],
    ],
  ]
  it.each(settings)('by the settings of the network: %s', async (_name, changes, sees) => {
    await setSocial(server, { globalFeed: changes })
    try {
      expect(await feed(alice)).toEqual(sees)
    } finally {
      await setSocial(server, {
        globalFeed: { showOnlyMyFeed: false, showMyPost: true, showEveryonePost: false, showCommunityPost: true, showFollowingPost: true },
      }) // prettier-ignore
    }
  })

  it('shows only mine when asked by the oldest operation', async () => {
    expect(await feed(alice, '/api/v3/global-feeds', { showOnlyMyFeed: true })).toEqual(own)
  })

  it('leaves out deleted posts, blocked people both ways and who was banned from the network', async () => {
    const dave = await server.as('dave')
    await join(dave, other)
    await join(alice, other)
    const daves = (await createPost(dave, inCommunity(other))).postId
    expect(await feed(alice)).toContain(daves)
    await block(dave, 'alice')
    expect(await feed(alice)).not.toContain(daves)
    await dave.delete('/api/v4/me/user-blocks/alice')
    await block(alice, 'dave')
    expect(await feed(alice)).not.toContain(daves)
    await alice.delete('/api/v4/me/user-blocks/dave')
    await sql`update users set is_global_ban = true where user_id = 'dave'`.execute(server.app.db)
    expect(await feed(alice)).not.toContain(daves)
    expect(await feed(bob, '/api/v5/posts', inCommunity(other))).toContain(daves)
    await sql`update users set is_global_ban = false where user_id = 'dave'`.execute(server.app.db)
    expect(await feed(alice)).toContain(daves)
    await dave.delete(path(daves))
    expect(await feed(alice)).not.toContain(daves)
    await alice.delete(`/api/v3/communities/${other}/leave`)
    expect(await feed(alice)).not.toContain('in other')
  })

  it('finds what is attached by its type, or the posts that hold it', async () => {
    const picture = { type: 'image', fileId: await uploadPicture(alice) }
    const text = { type: 'file', fileId: await uploadText(alice) }
    const pure = await createPost(alice, { attachments: [picture] })
    const mixed = await createPost(alice, { attachments: [text, picture] })
    const { body } = await listPosts(alice, global, { dataTypes: ['image'], resolveParent: true })
    expect(body.posts.map((post: { postId: string }) => post.postId)).toEqual([mixed.postId, pure.postId])
    expect(body.postChildren).toHaveLength(3)
    expect(await feed(alice, global, { dataTypes: ['image', 'clip'] })).toEqual([
      mixed.children[1],
      pure.children[0],
    ])
    expect(await feed(alice, global, { dataTypes: ['video'] })).toEqual([])
    const all = ['video', 'image', 'file', 'liveStream', 'clip']
    expect(await feed(alice, global, { dataTypes: all, resolveParent: true })).toEqual([
      mixed.postId,
      pure.postId,
    ])
    for (const post of [pure, mixed]) await alice.delete(path(post.postId))
  })

  const limits: [name: string, query: object, http: number][] = [
    ['1 post', { limit: 1 }, 200],
    ['0 posts', { limit: 0 }, 422],
    ['100 posts', { options: { limit: 100 } }, 200],
    ['101 posts', { options: { limit: 101 } }, 422],
    ['an empty token', { token: '' }, 422],
    ['a token that is none', { token: 'x'.repeat(100) }, 400],
    ['a token too long', { options: { token: 'x'.repeat(101) } }, 422],
    ['no data type', { 'dataTypes[]': undefined }, 200],
    ['an unknown data type', { dataTypes: ['text'] }, 422],
    ['six data types', { dataTypes: ['video', 'image', 'file', 'liveStream', 'clip', 'clip'] }, 422],
  ]
  it.each(limits)('limit: %s', async (_name, query, http) => {
    expect((await alice.get(global, { ...query })).status).toBe(http)
  })
})

describe('pages', () => {
  let whole: string[]
  beforeAll(async () => {
    for (let i = 0; i < 12; i++) await createPost(i % 2 ? bob : carol, inCommunity(joined))
    whole = (await listPosts(alice, global, { limit: 100 })).ids
  })

  const read = async (url: string, query: object, step: 'next' | 'previous' = 'next') => {
    const ids: string[][] = []
    let token: string | undefined
    for (let pages = 0; pages < 20; pages++) {
      const { ids: page, body } = await listPosts(
        alice,
        url,
        token ? { options: { token }, ...query } : { limit: 5, ...query },
      )
      ids.push(page)
      token = body.paging[step]
      if (!token) break
      expect(token.length).toBeLessThanOrEqual(100)
      expect(JSON.parse(Buffer.from(token, 'base64').toString())).toMatchObject({ limit: 5 })
    }
    return ids
  }

  const lists: [url: string, query: object][] = [
    [global, {}],
    ['/api/v5/me/global-feeds', {}],
    ['/api/v5/posts', { targetType: 'community', get targetId() { return joined } }],
    ['/api/v4/posts', { targetType: 'community', sortBy: 'firstCreated', get targetId() { return joined } }],
    ['/api/v4/posts', { targetType: 'community', sortBy: 'lastUpdated', get targetId() { return joined } }],
    ['/api/v4/user-feeds/carol', { includePostedFeed: ['user', 'community'], isDeleted: false }],
    ['/api/v1/search/posts', { sortBy: 'firstCreated' }],
  ] // prettier-ignore
  it.each(lists)('of %s join to the whole', async (url, query) => {
    const { ids } = await listPosts(alice, url, { ...query, limit: 100 })
    expect(ids.length).toBeGreaterThan(6)
    expect((await read(url, { ...query })).flat()).toEqual(ids)
  })

  it('stay as they are while posts come and go, and lead back', async () => {
    const first = await listPosts(alice, global, { limit: 5 })
    const { postId } = await createPost(alice)
    const second = await listPosts(alice, global, { token: first.body.paging.next })
    expect([...first.ids, ...second.ids]).toEqual(whole.slice(0, 10))
    expect((await listPosts(alice, global, { token: second.body.paging.previous })).ids).toEqual(first.ids)
    await alice.delete(path(postId))
  })

  it('cost the same for one post and for fifty', async () => {
    const gina = await server.as('gina')
    const fifty = (await createCommunity(bob, { userIds: ['gina'] })).communityId
    await createPost(bob, inCommunity(fifty))
    // The first request of all also looks up who asks.
    await listPosts(gina, global)
    for (const url of [global, '/api/v5/me/global-feeds', '/api/v5/posts']) {
      const query = { targetType: 'community', targetId: fifty }
      const one = await countQueries(() => listPosts(gina, url, { ...query, limit: 1 }))
      await sql`
        insert into posts (id, target_type, target_id, feed_id, feed_type, posted_user_id, data_type, structure_type, data,
          published_at, edited_at, created_at, updated_at)
        select substr(md5(${url} || n), 1, 24), 'community', target_id, feed_id, feed_type, posted_user_id, data_type,
          structure_type, data, now(), now(), now() - n * interval '1 second', now()
        from posts, generate_series(1, 20) n where target_id = ${fifty} order by created_at limit 20
      `.execute(server.app.db)
      expect(await countQueries(() => listPosts(gina, url, { ...query, limit: 50 }))).toBe(one)
    }
  })
})

describe('the ranked feed', () => {
  it('puts engagement before time, and what was just written before what is old', async () => {
    const writer = await server.as('writer')
    const reader = await server.as('reader')
    await follow(reader, 'writer')
    const ages = { fresh: 0, commented: 30, reacted: 30, silent: 30, old: 24 * 40 }
    const ids: Record<string, string> = {}
    for (const [name, hours] of Object.entries(ages)) {
      ids[name] = (await createPost(writer)).postId
      await sql`
        update posts set created_at = now() - ${hours} * interval '1 hour', edited_at = now() - ${hours} * interval '1 hour'
        where id = ${ids[name]}`.execute(server.app.db)
    }
    await createComment(reader, ids.commented!)
    await react(reader, ids.reacted!)
    const expected = ['fresh', 'commented', 'reacted', 'silent', 'old'].map((name) => ids[name])
    expect((await listPosts(reader, '/api/v5/me/global-feeds')).ids).toEqual(expected)
    expect((await listPosts(reader, '/api/v1/me/following-feeds')).ids).toEqual(expected)
    expect((await listPosts(reader, '/api/v1/me/following-feeds', { sortBy: 'lastCreated' })).ids[0]).toBe(
      ids.fresh,
    )

    // Later pages go by the moment of the first.
    const first = await listPosts(reader, '/api/v5/me/global-feeds', { limit: 2 })
    const { postId } = await createPost(writer)
    const second = await listPosts(reader, '/api/v5/me/global-feeds', {
      options: { token: first.body.paging.next },
    })
    expect([...first.ids, ...second.ids]).toEqual(expected.slice(0, 4))
    const back = await listPosts(reader, '/api/v5/me/global-feeds', { token: second.body.paging.previous })
    expect(back.ids).toEqual(first.ids)
    expect((await listPosts(reader, '/api/v5/me/global-feeds')).ids[0]).toBe(postId)
  })

  it('refuses a token of another list', async () => {
    const token = Buffer.from(JSON.stringify({ limit: 5, after: ['x', 1] })).toString('base64')
    for (const url of [global, '/api/v5/me/global-feeds', '/api/v5/posts?targetType=user&targetId=bob']) {
      expect((await alice.get(`${url}${url.includes('?') ? '&' : '?'}token=${token}`)).status).toBe(400)
    }
  })
})

describe('lists of one place', () => {
  it('filter by tags, types, deletion; deleted ones are for their authors and those who moderate', async () => {
    const { communityId } = await createCommunity(bob, { userIds: ['alice', 'carol'] })
    const at = inCommunity(communityId)
    const tagged = (await createPost(alice, { ...at, tags: ['a', 'b'] })).postId
    const image = await createPost(alice, {
      ...at,
      attachments: [{ type: 'image', fileId: await uploadPicture(alice) }],
    })
    const gone = (await createPost(alice, at)).postId
    await alice.delete(path(gone))
    const list = async (client: TestClient, query: object, version = 'v5') =>
      (await listPosts(client, `/api/${version}/posts`, { ...at, ...query })).ids

    expect(await list(carol, { isDeleted: false })).toEqual([image.postId, tagged])
    expect(await list(carol, { tags: ['b', 'c'] })).toEqual([tagged])
    expect(await list(carol, { dataTypes: ['image'], matchingOnlyParentPost: false })).toEqual(image.children)
    expect(await list(carol, { dataTypes: ['image'] }, 'v4')).toEqual([image.postId])
    expect(await list(carol, { dataType: 'image' }, 'v3')).toEqual([image.postId])
    expect(await list(carol, { dataTypes: ['text'], matchingOnlyParentPost: false })).toEqual([tagged])
    expect(await list(carol, { matchingOnlyParentPost: false, isDeleted: false })).toEqual(
      expect.arrayContaining([image.postId, tagged, ...image.children]),
    )
    for (const [client, sees] of [
      [alice, true],
      [bob, true],
      [carol, false],
    ] as const) {
      // prettier-ignore
      expect((await list(client, {})).includes(gone)).toBe(sees)
      expect(await list(client, { isDeleted: true })).toEqual(sees ? [gone] : [])
    }
    expect(await list(carol, { sortBy: 'firstCreated', isDeleted: false })).toEqual([tagged, image.postId])
    await react(carol, tagged)
    expect(await list(carol, { sortBy: 'lastUpdated', isDeleted: false })).toEqual([tagged, image.postId])
    expect(await feed(carol, `/api/v3/community-feeds/${communityId}`)).toEqual([image.postId, tagged])
  })

  it('are closed to who may not read the place', async () => {
    const hidden = (await createCommunity(bob, { isPublic: false })).communityId
    expect((await alice.get('/api/v5/posts', inCommunity(hidden))).status).toBe(404)
    expect((await alice.get('/api/v4/posts', { targetType: 'user', targetId: 'nobody' })).status).toBe(404)
    expect((await alice.get('/api/v4/posts', { targetType: 'community' })).status).toBe(422)
    expect(await feed(alice, '/api/v5/posts', { targetType: 'content', targetId: joined })).toEqual([
      'content',
    ])
    expect(await feed(alice, '/api/v3/content-feeds')).toEqual(['content'])
  })

  it('of a person hold their page, what they posted in communities the viewer may read, or both', async () => {
    const erin = await server.as('erin')
    const page = (await createPost(erin)).postId
    await join(erin, other)
    const open = (await createPost(erin, inCommunity(other))).postId
    const closed = (await createCommunity(erin, { isPublic: false })).communityId
    const secret = (await createPost(erin, inCommunity(closed))).postId
    const of = (client: TestClient, sources: string[]) =>
      feed(client, '/api/v4/user-feeds/erin', { includePostedFeed: sources })
    expect(await feed(alice, '/api/v4/user-feeds/erin')).toEqual([page])
    expect(await feed(alice, '/api/v3/user-feeds/erin')).toEqual([page])
    expect(await of(alice, ['community'])).toEqual([open])
    expect(await of(alice, ['user', 'community'])).toEqual([open, page])
    expect(await of(erin, ['user', 'community'])).toEqual([secret, open, page])
    expect(await of(admin, ['community'])).toEqual([secret, open])
    const count = async (query: object) =>
      (await alice.get('/api/v3/user-feeds/erin/count', { ...query })).body.postsCount
    expect(await count({})).toBe(1)
    await erin.delete(path(page))
    expect([await count({ isDeleted: false }), await count({ isDeleted: true })]).toEqual([0, 1])
  })
})

describe('search', () => {
  const search = async (client: TestClient, query: Record<string, unknown>) =>
    feed(client, '/api/v1/search/posts', query)

  it('finds posts with any of some hashtags where the viewer may read, and what is attached to them', async () => {
    const attachments = [{ type: 'image', fileId: await uploadPicture(carol) }]
    const page = await createPost(carol, { hashtags: ['Owl', '#night'], attachments })
    const closed = (await createPost(carol, { ...inCommunity(joined), hashtags: ['owl'] })).postId
    expect(await search(alice, { hashtags: ['OWL'] })).toEqual([closed, page.postId])
    expect(await search(await server.as('frank'), { hashtags: ['owl', 'night'] })).toEqual([page.postId])
    expect(await search(alice, { hashtags: ['#owl', 'night'], sortBy: 'firstCreated' })).toEqual([
      page.postId,
      closed,
    ])
    expect(await search(alice, { hashtags: ['owl'], targetType: 'user' })).toEqual([page.postId])
    expect(
      await search(alice, { hashtags: ['owl'], dataTypes: ['image'], matchingOnlyParentPost: false }),
    ).toEqual(page.children)
    expect(await search(alice, { hashtags: ['owls'] })).toEqual([])
    await carol.put(path(closed), { hashtags: ['other'] })
    expect(await search(alice, { hashtags: ['owl'] })).toEqual([page.postId])
    await carol.delete(path(page.postId))
    expect(await search(alice, { hashtags: ['owl'] })).toEqual([])
  })
})
