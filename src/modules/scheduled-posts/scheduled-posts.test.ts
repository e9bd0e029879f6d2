import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { refusal } from '../../../test/factories/chat.ts'
import { createCommunity, join } from '../../../test/factories/communities.ts'
import { inCommunity, listPosts, readPost, uploadPicture } from '../../../test/factories/posts.ts'
import { jobsDone, moveClock, resetClock } from '../../../test/harness/clock.ts'
import { startTestServer, type TestServer } from '../../../test/harness/server.ts'
import type { TestAnswer, TestClient } from '../../../test/harness/client.ts'
import { now } from '../../platform/clock.ts'

let server: TestServer
let alice: TestClient
let bob: TestClient
let admin: TestClient

beforeAll(async () => {
  server = await startTestServer()
  ;[alice, bob, admin] = await Promise.all([server.as('alice'), server.as('bob'), server.asAdmin()])
})
afterAll(() => server.close())
afterEach(async () => {
  resetClock()
  await server.app.db.deleteFrom('scheduledPosts').execute()
})

const path = '/api/v1/posts/schedule'
const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

const ahead = (ms: number) => new Date(now().getTime() + ms).toISOString()
const text = (words: string, more: object = {}) => ({ data: { text: words }, ...more })

function schedule(client: TestClient, postData: object, scheduledAt = ahead(2 * hour)): Promise<TestAnswer> {
  return client.post(path, { scheduledAt, postData })
}

async function scheduled(client: TestClient, postData: object, scheduledAt?: string) {
  const { status, body } = await schedule(client, postData, scheduledAt)
  if (status !== 200) throw new Error(JSON.stringify(body))
  return body.data[0]
}

async function read(client: TestClient, id: string) {
  return (await client.get(`${path}/${id}`)).body.data?.[0]
}

describe('scheduling', () => {
  it('shows the post as it will be, with its files and community', async () => {
    const community = await createCommunity(alice)
    const fileId = await uploadPicture(alice)
    const at = ahead(2 * hour)
    const postData = {
      ...text('Soon', { tags: ['a'], hashtags: ['b'], metadata: { c: 1 } }),
      data: { text: 'Soon', title: 'News' },
      ...inCommunity(community.communityId),
      attachments: [{ fileId, type: 'image' }],
      mentionees: [{ type: 'user', userIds: ['bob'] }],
    }
    const { status, body } = await schedule(alice, postData, at)
    expect(status).toBe(200)
    expect(body).toMatchObject({ networkId: expect.any(String), paging: {}, polls: [] })
    expect(body.files.map((file: { fileId: string }) => file.fileId)).toContain(fileId)
    expect(body.users.map((user: { userId: string }) => user.userId)).toEqual(
      expect.arrayContaining(['alice', 'bob']),
    )
    expect(body.data).toHaveLength(1)
    expect(body.data[0]).toMatchObject({
      userId: 'alice',
      userDisplayName: 'alice',
      scheduledAt: at,
      status: { code: 'WAIT', description: expect.any(String) },
      postData: {
        ...inCommunity(community.communityId),
        postedUserId: 'alice',
        data: { text: 'Soon', title: 'News' },
        dataType: 'text',
        structureType: 'image',
        tags: ['a'],
        hashtags: ['b'],
        metadata: { c: 1 },
        attachments: [{ fileId, type: 'image' }],
        mentionees: [{ userIds: ['bob'] }],
        feedType: 'published',
        isDeleted: false,
        createdAt: at,
      },
      files: [{ fileId }],
      communities: [{ communityId: community.communityId }],
    })
  })

  it('leaves no trace of the post before its time', async () => {
    const community = await createCommunity(alice)
    const { postData } = await scheduled(alice, { ...text('Hidden'), ...inCommunity(community.communityId) })
    await server.settled()
    expect(await readPost(alice, postData.postId)).toBeUndefined()
    const { body } = await alice.get(`/api/v3/communities/${community.communityId}`)
    expect(body.communities[0].postsCount).toBe(0)
    const events = await server.app.db
      .selectFrom('outboxEvents')
      .select('subject')
      .where('name', '=', 'post.created')
      .execute()
    expect(JSON.stringify(events)).not.toContain(postData.postId)
  })

  it.each([
    ['an hour ahead and no less', hour - minute, [422, 500000]],
    ['30 days ahead and no more', 30 * day + minute, [422, 500000]],
  ])('is for %s', async (_name, ms, refused) => {
    expect(refusal(await schedule(alice, text('x'), ahead(ms)))).toEqual(refused)
  })

  it.each([
    ['at its nearest', hour + 5000],
    ['at its farthest', 30 * day - 5000],
  ])('works %s', async (_name, ms) => {
    expect((await schedule(alice, text('x'), ahead(ms))).status).toBe(200)
  })

  it('refuses what could not be posted now, as posting does', async () => {
    const community = await createCommunity(alice)
    const cases: [object, number, number][] = [
      [{}, 400, 400000],
      [text(' '), 400, 400000],
      [text('x'.repeat(50_001)), 422, 500000],
      [text('x', { tags: ['a', 'b', 'c', 'd', 'e', 'f'] }), 422, 500000],
      [text('x', { targetType: 'nowhere' }), 422, 500000],
      [text('x', inCommunity('000000000000000000000000')), 404, 400400],
      [text('x', inCommunity(community.communityId)), 403, 400301],
      [text('x', { targetType: 'user', targetId: 'alice' }), 403, 400301],
      [text('x', { attachments: [{ fileId: '000000000000000000000000', type: 'image' }] }), 404, 400400],
      [text('x', { dataType: 'poll', data: { pollId: '000000000000000000000000' } }), 404, 400400],
    ]
    for (const [postData, status, code] of cases)
      expect([postData, refusal(await schedule(bob, postData))]).toEqual([postData, [status, code]])
    for (const body of [{}, { scheduledAt: ahead(2 * hour) }, { scheduledAt: 'soon', postData: text('x') }])
      expect(refusal(await bob.post(path, body))).toEqual([422, 500000])
    expect((await bob.get(path)).body.data).toEqual([])
  })

  it('keeps the id that was asked for, for one post', async () => {
    const postId = 'abcdefabcdefabcdefabcdef'
    const { postData } = await scheduled(alice, text('x', { postId }))
    expect(postData.postId).toBe(postId)
    expect(refusal(await schedule(bob, text('y', { postId })))).toEqual([409, 400315])
  })

  it('is for 300 posts at once and no more', async () => {
    const one = await scheduled(alice, text('x'))
    const row = await server.app.db
      .selectFrom('scheduledPosts')
      .selectAll()
      .where('id', '=', one._id)
      .executeTakeFirstOrThrow()
    const rows = Array.from({ length: 298 }, (_, n) => {
      const id = `f${String(n).padStart(23, '0')}`
      return {
        ...row,
        id,
        postId: id,
        postData: JSON.stringify(row.postData),
        post: JSON.stringify(row.post),
      }
    })
    await server.app.db.insertInto('scheduledPosts').values(rows).execute()
    const answers = await Promise.all([1, 2, 3].map((n) => schedule(alice, text(`x${n}`))))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 429, 429])
    expect((await schedule(bob, text('y'))).status).toBe(200)
  })

  it('is not for visitors', async () => {
    const { body } = await server.app.http.inject({
      method: 'POST',
      url: '/api/v5/sessions/visitor',
      headers: { 'x-api-key': server.apiKey },
      payload: { deviceId: 'a visitor' },
    })
    const answer = await server.app.http.inject({
      method: 'POST',
      url: path,
      headers: { authorization: `Bearer ${JSON.parse(body).accessToken}` },
      payload: { scheduledAt: ahead(2 * hour), postData: text('x') },
    })
    expect(answer.json().code).toBe(403999)
  })
})

describe('the list', () => {
  it('shows people their own and admins everything, the next first, in pages', async () => {
    const times = [5, 3, 4, 2].map((n) => ahead(n * hour))
    for (const at of times) await scheduled(alice, text('mine'), at)
    await scheduled(bob, text('his'), ahead(6 * hour))
    const whole = (await alice.get(path)).body.data.map((one: { scheduledAt: string }) => one.scheduledAt)
    expect(whole).toEqual([...times].sort())
    const first = (await alice.get(path, { options: { limit: 3 } })).body
    const second = (await alice.get(path, { options: { token: first.paging.next } })).body
    const joined = [...first.data, ...second.data].map((one: { scheduledAt: string }) => one.scheduledAt)
    expect(joined).toEqual(whole)
    expect(second.paging).toMatchObject({ prev: expect.any(String) })
    expect(second.paging.next).toBeUndefined()
    expect((await admin.get(path)).body.data).toHaveLength(5)
    expect((await admin.get(path, { userId: 'bob' })).body.data).toHaveLength(1)
    expect((await alice.get(path, { status: 'DONE' })).body.data).toEqual([])
    const last = (await alice.get(path, { sortBy: 'lastScheduled', limit: 1 })).body.data[0]
    expect(last.scheduledAt).toBe(whole.at(-1))
    expect(refusal(await alice.get(path, { userId: 'bob' }))).toEqual([403, 400301])
    expect(refusal(await alice.get(path, { userId: 'nobody at all' }))).toEqual([404, 400400])
    expect(refusal(await alice.get(path, { token: 'nonsense' }))).toEqual([400, 400000])
  })
})

describe('changing and cancelling', () => {
  it('changes the time, and what is given of the post', async () => {
    const community = await createCommunity(alice)
    const { _id: id } = await scheduled(
      alice,
      text('x', { ...inCommunity(community.communityId), tags: ['a'] }),
    )
    const at = ahead(3 * hour)
    const { body } = await alice.put(`${path}/${id}`, { scheduledAt: at, postData: { data: { text: 'y' } } })
    expect(body.data[0]).toMatchObject({
      scheduledAt: at,
      postData: { data: { text: 'y' }, tags: ['a'], ...inCommunity(community.communityId) },
    })
    const moved = await alice.put(`${path}/${id}`, { postData: { targetType: 'user' } })
    expect(moved.body.data[0].postData).toMatchObject({ targetType: 'user', targetId: 'alice' })
  })

  it('checks a change as it checks a new one', async () => {
    const { _id: id } = await scheduled(alice, text('x'))
    const cases: [object, number, number][] = [
      [{ scheduledAt: ahead(minute) }, 422, 500000],
      [{ postData: text(' ') }, 400, 400000],
      [{ postData: inCommunity('000000000000000000000000') }, 404, 400400],
      [{ postData: { postId: 'abcdefabcdefabcdefabcdef' } }, 400, 400000],
    ]
    for (const [body, status, code] of cases)
      expect(refusal(await alice.put(`${path}/${id}`, body))).toEqual([status, code])
    expect(await read(alice, id)).toMatchObject({ postData: { data: { text: 'x' } } })
  })

  it('is for who scheduled it and for admins; to others there is nothing', async () => {
    const { _id: id } = await scheduled(alice, text('x'))
    expect(refusal(await bob.get(`${path}/${id}`))).toEqual([404, 400400])
    expect(refusal(await bob.put(`${path}/${id}`, {}))).toEqual([404, 400400])
    expect(refusal(await bob.delete(`${path}/${id}`))).toEqual([404, 400400])
    const byAdmin = await admin.put(`${path}/${id}`, { postData: text('z') })
    expect(byAdmin.body.data[0]).toMatchObject({ userId: 'alice', postData: { postedUserId: 'alice' } })
    expect((await admin.delete(`${path}/${id}`)).body).toMatchObject({ success: true })
    expect(refusal(await alice.get(`${path}/${id}`))).toEqual([404, 400400])
    expect(refusal(await alice.delete(`${path}/${id}`))).toEqual([404, 400400])
  })

  it('follows the time it was changed to', async () => {
    const { _id: id, postData } = await scheduled(alice, text('later'), ahead(2 * hour))
    await alice.put(`${path}/${id}`, { scheduledAt: ahead(5 * hour) })
    await moveClock(server, 3 * hour)
    expect((await read(alice, id)).status.code).toBe('WAIT')
    await moveClock(server, 3 * hour)
    expect((await read(alice, id)).status.code).toBe('DONE')
    expect(await readPost(alice, postData.postId)).toBeDefined()
  })

  it('is too late once the post is there', async () => {
    const { _id: id } = await scheduled(alice, text('x'))
    await moveClock(server, 3 * hour)
    expect(refusal(await alice.put(`${path}/${id}`, { scheduledAt: ahead(2 * hour) }))).toEqual([409, 400900])
    expect(refusal(await alice.delete(`${path}/${id}`))).toEqual([409, 400900])
  })
})

describe('when its time comes', () => {
  it('the post appears as any other: event, counters, feed, mentions', async () => {
    const community = await createCommunity(alice)
    await join(bob, community.communityId)
    const { _id: id, postData } = await scheduled(bob, {
      ...text('Here', { hashtags: ['now'], mentionees: [{ userIds: ['alice'] }] }),
      ...inCommunity(community.communityId),
    })
    await moveClock(server, 3 * hour)
    await server.settled()
    expect(await read(bob, id)).toMatchObject({ status: { code: 'DONE' } })
    const post = await readPost(alice, postData.postId)
    expect(post).toMatchObject({
      data: { text: 'Here' },
      postedUserId: 'bob',
      mentionees: [{ userIds: ['alice'] }],
    })
    expect(Date.parse(post.createdAt)).toBeGreaterThan(Date.parse(postData.createdAt))
    const { ids } = await listPosts(alice, '/api/v5/posts', inCommunity(community.communityId))
    expect(ids).toEqual([postData.postId])
    const { body } = await alice.get(`/api/v3/communities/${community.communityId}`)
    expect(body.communities[0].postsCount).toBe(1)
    const events = await server.app.db
      .selectFrom('outboxEvents')
      .select(['actorId', 'subject'])
      .where('name', '=', 'post.created')
      .execute()
    const own = events.filter(({ subject }) => (subject as { id: string }).id === postData.postId)
    expect(own).toEqual([{ actorId: bob.id, subject: expect.anything() }])
  })

  it('late ones appear once, oldest first', async () => {
    const hours = [7, 3, 9, 5, 2]
    const made = []
    for (const n of hours) made.push({ n, one: await scheduled(alice, text(`late ${n}`), ahead(n * hour)) })
    await moveClock(server, 2 * day)
    const { ids } = await listPosts(alice, '/api/v5/posts', {
      targetType: 'user',
      targetId: 'alice',
      limit: 5,
    })
    const newestFirst = made.sort((a, b) => b.n - a.n).map(({ one }) => one.postData.postId)
    expect(ids).toEqual(newestFirst)
    await moveClock(server, day)
    const again = await listPosts(alice, '/api/v5/posts', { targetType: 'user', targetId: 'alice', limit: 5 })
    expect(again.ids).toEqual(newestFirst)
  })

  it('a clock that jumps there and back publishes once', async () => {
    const { _id: id, postData } = await scheduled(alice, text('jump'))
    await moveClock(server, 3 * hour)
    await moveClock(server, -3 * hour)
    expect((await read(alice, id)).status.code).toBe('DONE')
    await moveClock(server, 3 * hour)
    const rows = await server.app.db
      .selectFrom('posts')
      .select('id')
      .where('id', '=', postData.postId)
      .execute()
    expect(rows).toHaveLength(1)
  })

  it('waits on when it is woken too early', async () => {
    const { _id: id } = await scheduled(alice, text('early'), ahead(2 * hour))
    await moveClock(server, hour)
    await moveClock(server, -hour)
    expect((await read(alice, id)).status.code).toBe('WAIT')
    await moveClock(server, 2 * hour + minute)
    expect((await read(alice, id)).status.code).toBe('DONE')
  })

  it('one that is too late fails', async () => {
    const { _id: id } = await scheduled(alice, text('old'))
    await moveClock(server, 8 * day)
    expect((await read(alice, id)).status).toMatchObject({
      code: 'FAIL',
      description: expect.stringContaining('168 hours'),
    })
  })

  it('is forgotten after a month', async () => {
    const { _id: id } = await scheduled(alice, text('x'))
    await moveClock(server, 3 * hour)
    await server.app.db
      .updateTable('scheduledPosts')
      .set({ endedAt: new Date(Date.now() - 40 * day) })
      .execute()
    await moveClock(server, 2 * hour)
    await jobsDone(server)
    expect(refusal(await alice.get(`${path}/${id}`))).toEqual([404, 400400])
  })
})
