import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createCommunity, lineOf, path } from '../../../test/factories/communities.ts'
import type { TestClient } from '../../../test/harness/client.ts'
import { startTestServer, type TestServer } from '../../../test/harness/server.ts'

let server: TestServer
let alice: TestClient
let bob: TestClient
let admin: TestClient
beforeAll(async () => {
  server = await startTestServer()
  ;[alice, bob, admin] = await Promise.all([server.as('alice'), server.as('bob'), server.asAdmin()])
})
afterAll(() => server.close())

async function createCategory(name: string): Promise<string> {
  const { body } = await admin.post('/api/v3/community-categories', { name })
  return body.categories[0].categoryId
}

async function uploadImage(client: TestClient): Promise<string> {
  const id = `avatar${Math.trunc(performance.now() * 1000)}`.padEnd(24, '0').slice(0, 24)
  const at = new Date(0)
  await server.app.db
    .insertInto('files')
    .values({
      id,
      userId: client.id,
      type: 'image',
      objectKey: id,
      name: 'a.png',
      extension: 'png',
      mimeType: 'image/png',
      size: 1,
      createdAt: at,
      updatedAt: at,
    }) // prettier-ignore
    .execute()
  return id
}

describe('creating', () => {
  it('answers every field, as given', async () => {
    const avatarFileId = await uploadImage(alice)
    const categoryId = await createCategory('Food')
    const given = {
      displayName: 'Cooks',
      description: 'We cook.',
      isPublic: false,
      isDiscoverable: true,
      requiresJoinApproval: true,
      onlyAdminCanPost: false,
      needApprovalOnPostCreation: true,
      allowCommentInStory: false,
      notificationMode: 'silent',
      tags: ['soup', 'bread'],
      categoryIds: [categoryId],
      metadata: { b: [1.5, null], a: { deep: 'ü' } },
      avatarFileId,
    }
    const { status, body } = await alice.post('/api/v3/communities/', {
      ...given,
      userIds: ['bob', 'alice', 'bob'],
    })
    expect(status).toBe(200)
    const [community] = body.communities
    expect(community).toMatchObject({
      ...given,
      _id: community.communityId,
      path: `hubbub/social/community/${community.communityId}`,
      channelId: community.communityId,
      userId: 'alice',
      userPublicId: 'alice',
      userInternalId: alice.id,
      type: 'default',
      eventId: null,
      isOfficial: false,
      isJoined: true,
      isDeleted: false,
      deletedAt: null,
      hasFlaggedPost: false,
      hasFlaggedComment: false,
      postsCount: 0,
      membersCount: 2,
      moderatorMemberCount: 1,
    })
    expect(body.communityUsers).toHaveLength(1)
    expect(lineOf(body, 'alice')).toMatchObject({
      communityMembership: 'member',
      isBanned: false,
      notMemberReason: null,
      channelId: community.channelId,
      communityId: community.communityId,
      roles: ['community-moderator', 'channel-moderator'],
      permissions: expect.arrayContaining(['EDIT_COMMUNITY', 'EDIT_CHANNEL']),
      lastJoin: community.createdAt,
      lastActivity: community.createdAt,
    })
    expect(body.users.map((user: { userId: string }) => user.userId)).toEqual(['alice'])
    expect(body.files.map((file: { fileId: string }) => file.fileId)).toEqual([avatarFileId])
    expect(body.categories[0]).toMatchObject({ categoryId, name: 'Food', isDeleted: false })
    expect(body.roles.map((role: { roleId: string }) => role.roleId).sort()).toEqual([
      'channel-moderator',
      'community-moderator',
    ])
    expect(body.feeds.map((feed: { feedType: string }) => feed.feedType)).toEqual([
      'published',
      'reviewing',
      'declined',
    ])
    expect(body.feeds[0]).toMatchObject({
      targetId: community.communityId,
      targetType: 'community',
      postCount: 0,
    })
  })

  it('has defaults', async () => {
    expect(
      await createCommunity(alice, {
        displayName: 'Plain',
        description: '',
        tags: [],
        categoryIds: [],
        userIds: [],
      }),
    ).toMatchObject({
      isPublic: true,
      isOfficial: false,
      isDiscoverable: false,
      requiresJoinApproval: false,
      onlyAdminCanPost: false,
      needApprovalOnPostCreation: false,
      allowCommentInStory: true,
      notificationMode: 'default',
      description: '',
      avatarFileId: null,
      tags: [],
      categoryIds: [],
      metadata: {},
      membersCount: 1,
    })
  })

  const text = (length: number) => 'x'.repeat(length)
  it.each([
    ['displayName', text(1), text(1000), ''],
    ['displayName', text(1), text(1000), text(1001)],
    ['description', '', text(5000), text(5001)],
    ['tags', [], Array(10).fill(text(100)), Array(11).fill('t')],
    ['tags', [text(1)], [text(100)], [text(101)]],
    ['notificationMode', 'default', 'subscribe', 'loud'],
    ['isPublic', true, false, 'yes'],
    ['metadata', {}, { a: 1 }, 'text'],
  ])('keeps the limits of %s', async (field, least, most, beyond) => {
    const create = (value: unknown) =>
      alice.post('/api/v3/communities', { displayName: 'Limits', [field]: value })
    expect((await create(least)).status).toBe(200)
    expect((await create(most)).body.communities[0]).toMatchObject({ [field]: most })
    const refused = await create(beyond)
    expect([refused.status, refused.body.code]).toEqual([422, 500000])
  })

  it.each([
    ['a name', {}, 422],
    ['an unknown category', { displayName: 'x', categoryIds: ['nothing'] }, 404],
    ['more than 10 categories', { displayName: 'x', categoryIds: Array(11).fill('c') }, 422],
    ['an unknown person', { displayName: 'x', userIds: ['nobody-here'] }, 404],
    ['more than 1000 people', { displayName: 'x', userIds: Array(1001).fill('bob') }, 422],
    ['an unknown avatar', { displayName: 'x', avatarFileId: 'nothing' }, 404],
    ['a NUL byte', { displayName: 'a\0b' }, 422],
  ])('refuses %s', async (_what, body, status) => {
    expect((await alice.post('/api/v3/communities', body)).status).toBe(status)
  })

  it('takes 1000 first members', async () => {
    const at = new Date(0)
    const people = Array.from({ length: 1000 }, (_, i) => `first-${i}`)
    const rows = people.map((userId, i) => ({
      id: `${i}`.padStart(24, 'f'),
      userId,
      createdAt: at,
      updatedAt: at,
    }))
    await server.app.db.insertInto('users').values(rows).execute()
    expect(await createCommunity(alice, { userIds: people })).toMatchObject({ membersCount: 1001 })
  })

  it('ignores what is not a setting', async () => {
    const community = await createCommunity(alice, {
      communityId: 'mine', userId: 'bob', postsCount: 7, membersCount: 7, isDeleted: true, trend: 9, nonsense: 1,
    }) // prettier-ignore
    expect(community).toMatchObject({ userId: 'alice', postsCount: 0, membersCount: 1, isDeleted: false })
    const { body } = await alice.put(path(community.communityId), {
      postsCount: 7,
      isDeleted: true,
      eventId: 'e',
    })
    expect(body.communities[0]).toMatchObject({ postsCount: 0, isDeleted: false, type: 'default' })
  })

  it('lets nobody but the network say what is official', async () => {
    const refused = await alice.post('/api/v3/communities', { displayName: 'x', isOfficial: true })
    expect([refused.status, refused.body.code]).toEqual([403, 400301])
    const community = await createCommunity(admin, { isOfficial: true })
    expect(community.isOfficial).toBe(true)
    const own = await createCommunity(alice)
    expect((await alice.put(path(own.communityId), { isOfficial: true })).status).toBe(403)
    expect((await alice.put(path(own.communityId), { isOfficial: false, displayName: 'same' })).status).toBe(
      200,
    )
    expect(
      (await admin.put(path(own.communityId), { isOfficial: true })).body.communities[0].isOfficial,
    ).toBe(true)
  })

  it('keeps a name unique for who asks for it', async () => {
    const unique = { displayName: 'Only One', isUniqueDisplayName: true }
    const racing = await Promise.all(
      Array.from({ length: 6 }, () => alice.post('/api/v3/communities', unique)),
    )
    expect(racing.map((answer) => answer.status).sort()).toEqual([200, 409, 409, 409, 409, 409])
    expect(racing.find((answer) => answer.status === 409)!.body.code).toBe(400315)
    const lower = await bob.post('/api/v3/communities', { ...unique, displayName: 'only one' })
    expect(lower.status).toBe(409)
    expect((await bob.post('/api/v3/communities', { displayName: 'Only One' })).status).toBe(200)
    const other = await createCommunity(bob, { displayName: 'Another' })
    expect((await bob.put(path(other.communityId), unique)).status).toBe(409)
    const again = { displayName: 'Another', isUniqueDisplayName: true }
    expect((await bob.put(path(other.communityId), again)).status).toBe(200)
  })

  it('needs a token', async () => {
    const answer = await fetch(`${server.url}/api/v3/communities`, { method: 'POST', body: '{}' })
    expect(answer.status).toBe(401)
  })
})

describe('reading', () => {
  it('finds a community by either kind of id', async () => {
    const { communityId } = await createCommunity(alice)
    for (const type of ['public', 'internal', undefined]) {
      const { body } = await bob.get(path(communityId), { type })
      expect(body.communities[0]).toMatchObject({ communityId, isJoined: false })
    }
    expect((await bob.get(path(communityId), { type: 'other' })).status).toBe(422)
    const missing = await bob.get(path('0'.repeat(24)))
    expect([missing.status, missing.body.code]).toEqual([404, 400400])
    expect((await bob.get(path('x'.repeat(900)))).status).toBe(404)
    expect((await bob.get(path('x'.repeat(901)))).status).toBe(422)
  })

  it('lists by ids in the order asked, without the unknown', async () => {
    const ids = []
    for (let i = 0; i < 3; i++) ids.push((await createCommunity(alice)).communityId)
    const asked = [ids[2], 'unknown', ids[0], ids[1], ids[2]]
    const { body } = await bob.get('/api/v3/communities/list', { communityIds: asked, type: 'internal' })
    expect(body.communities.map((one: { communityId: string }) => one.communityId)).toEqual([
      ids[2],
      ids[0],
      ids[1],
    ])
    for (const [communityIds, status] of [
      [Array(100).fill('a'), 200],
      [Array(101).fill('a'), 422],
      [['x'.repeat(50)], 200],
      [['x'.repeat(51)], 422],
      [[], 422],
    ] as const) {
      expect((await bob.get('/api/v3/communities/list', { communityIds })).status).toBe(status)
    }
  })
})

describe('updating', () => {
  it('changes what is given and nothing else', async () => {
    const before = await createCommunity(alice, {
      tags: ['a'],
      metadata: { keep: true },
      allowCommentInStory: false,
    })
    const changes = {
      displayName: 'Renamed', description: 'New', isPublic: false, isDiscoverable: true, requiresJoinApproval: true,
      onlyAdminCanPost: true, notificationMode: 'subscribe', tags: ['b'],
    } // prettier-ignore
    const { status, body } = await alice.put(path(before.communityId), {
      communityId: before.communityId,
      ...changes,
    })
    expect(status).toBe(200)
    expect(body.communities[0]).toMatchObject({
      ...before,
      ...changes,
      updatedAt: body.communities[0].updatedAt,
    })
    expect(body.communities[0].updatedAt >= before.updatedAt).toBe(true)
    expect((await alice.get(path(before.communityId))).body.communities[0]).toEqual(body.communities[0])
  })

  it('may take the avatar, the tags and the categories away', async () => {
    const categoryIds = [await createCategory('One')]
    const avatarFileId = await uploadImage(alice)
    const { communityId } = await createCommunity(alice, { avatarFileId, tags: ['a'], categoryIds })
    const gone = { avatarFileId: null, tags: [], categoryIds: [], description: '' }
    expect((await alice.put(path(communityId), gone)).body.communities[0]).toMatchObject(gone)
  })

  it('keeps a category that was deleted since, but lets none in', async () => {
    const old = await createCategory('Old')
    const { communityId } = await createCommunity(alice, { categoryIds: [old] })
    await admin.delete(`/api/v3/community-categories/${old}`)
    expect((await alice.put(path(communityId), { categoryIds: [old] })).status).toBe(200)
    expect((await alice.post('/api/v3/communities', { displayName: 'x', categoryIds: [old] })).status).toBe(
      404,
    )
  })

  it.each([
    ['displayName', ''],
    ['displayName', 'x'.repeat(1001)],
    ['description', 'x'.repeat(5001)],
    ['tags', Array(11).fill('t')],
    ['notificationMode', 'loud'],
  ])('keeps the limits of %s', async (field, beyond) => {
    const { communityId } = await createCommunity(alice)
    expect((await alice.put(path(communityId), { [field]: beyond })).status).toBe(422)
  })
})

describe('deleting', () => {
  it('leaves the community readable and its inside shut', async () => {
    const { communityId } = await createCommunity(alice)
    expect((await alice.delete(path(communityId))).body).toEqual({ success: true })
    const { body } = await alice.get(path(communityId))
    expect(body.communities[0]).toMatchObject({ isDeleted: true, deletedAt: expect.any(String) })
    for (const answer of [
      await alice.delete(path(communityId)),
      await alice.put(path(communityId), { displayName: 'x' }),
      await alice.get(path(communityId, '/users')),
      await bob.post(path(communityId, '/join')),
    ]) {
      expect(answer.status).toBe(404)
    }
  })
})

it('lets those change it who may', async () => {
  const { communityId } = await createCommunity(alice, { userIds: ['bob'] })
  const outsider = await server.as('outsider')
  for (const [who, status] of [
    [outsider, 403],
    [bob, 403],
    [alice, 200],
    [admin, 200],
  ] as const) {
    expect((await who.put(path(communityId), { displayName: 'x' })).status).toBe(status)
  }
  expect((await bob.delete(path(communityId))).body).toMatchObject({ code: 400301 })
  expect((await admin.delete(path(communityId))).status).toBe(200)
})
