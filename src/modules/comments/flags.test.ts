import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createComment, createPost, path, queryComments } from '../../../test/factories/comments.ts'
import { createCommunity, path as communityPath } from '../../../test/factories/communities.ts'
import type { TestClient } from '../../../test/harness/client.ts'
import { startTestServer, type TestServer } from '../../../test/harness/server.ts'
import { mayHold } from '../flags/index.ts'

let server: TestServer
let alice: TestClient
let bob: TestClient
let carol: TestClient
let communityId: string
let postId: string
let commentId: string
beforeAll(async () => {
  server = await startTestServer()
  alice = await server.as('alice')
  bob = await server.as('bob')
  carol = await server.as('carol')
})
beforeEach(async () => {
  communityId = (await createCommunity(alice, { userIds: ['bob', 'carol'] })).communityId
  postId = (await createPost(alice, { targetType: 'community', targetId: communityId })).postId
  commentId = (await createComment(bob, postId)).commentId
})
afterAll(() => server.close())

const isFlagged = async (client: TestClient) => (await client.get(path(commentId, '/isflagbyme'))).body
const marks = async () => [
  (await alice.get(`/api/v3/posts/${postId}`)).body.posts[0].hasFlaggedComment as boolean,
  (await alice.get(communityPath(communityId))).body.communities[0].hasFlaggedComment as boolean,
]
const reasons = async () =>
  server.app.db
    .selectFrom('flags')
    .select(['userId', 'reason', 'detail'])
    .where('referenceType', '=', 'comment')
    .orderBy('createdAt', 'desc')
    .limit(1)
    .executeTakeFirst()

describe('flagging', () => {
  it('counts each person once, and remembers why', async () => {
    const why = { reason: 'Others', detail: 'It is about my cat.' }
    const { status, body } = await carol.post(path(commentId, '/flag'), why)
    expect(status).toBe(200)
    expect(body.comments).toMatchObject([{ commentId, flagCount: 1 }])
    expect(mayHold(body.comments[0].hashFlag, carol.id)).toBe(true)
    expect(mayHold(body.comments[0].hashFlag, bob.id)).toBe(false)
    expect(await reasons()).toEqual({ userId: carol.id, ...why })
    const again = await carol.post(path(commentId, '/flag'), { commentId, reason: 'SpamOrScams' })
    expect(again.body.comments).toMatchObject([{ flagCount: 1 }])
    expect((await alice.post(path(commentId, '/flag'))).body.comments).toMatchObject([{ flagCount: 2 }])
  })

  it('takes the empty form that one client sends', async () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const { body } = await carol.send('POST', path(commentId, '/flag'), { headers })
    expect(body.comments).toMatchObject([{ flagCount: 1 }])
  })

  it.each(['reason', 'detail'])('takes a %s of 300 characters, not of 301', async (member) => {
    expect((await carol.post(path(commentId, '/flag'), { [member]: 'x'.repeat(301) })).status).toBe(422)
    expect((await carol.post(path(commentId, '/flag'), { [member]: 'x'.repeat(300) })).status).toBe(200)
  })

  it('tells each whether they did', async () => {
    await carol.post(path(commentId, '/flag'))
    expect(await isFlagged(carol)).toEqual({ status: 'success', result: true, isFlagByMe: true, data: { result: true } })
    expect(await isFlagged(alice)).toMatchObject({ result: false, isFlagByMe: false, data: { result: false } })
  }) // prettier-ignore

  it('does not find a comment that is deleted or unknown', async () => {
    await bob.delete(path(commentId))
    for (const id of [commentId, 'unknown']) {
      expect((await carol.post(path(id, '/flag'))).status).toBe(404)
      expect((await carol.delete(path(id, '/unflag'))).status).toBe(404)
      expect((await alice.delete(path(id, '/flags'))).status).toBe(404)
    }
    expect((await carol.get(path('unknown', '/isflagbyme'))).status).toBe(404)
  })
})

describe('taking flags back', () => {
  beforeEach(async () => {
    await carol.post(path(commentId, '/flag'))
    await alice.post(path(commentId, '/flag'))
  })

  it("takes back one's own, and nothing where there is none", async () => {
    expect((await carol.delete(path(commentId, '/unflag'))).body.comments).toMatchObject([{ flagCount: 1 }])
    expect((await carol.delete(path(commentId, '/unflag'))).body.comments).toMatchObject([{ flagCount: 1 }])
    expect(await isFlagged(carol)).toMatchObject({ result: false })
    expect((await alice.delete(path(commentId, '/unflag'))).body.comments).toMatchObject([
      { flagCount: 0, hashFlag: null },
    ])
  })

  it("clears everyone's, as a moderator", async () => {
    const { status, body } = await alice.delete(path(commentId, '/flags'))
    expect(status).toBe(200)
    expect(Object.keys(body).sort()).toEqual(
      ['commentChildren', 'comments', 'communityUsers', 'files', 'roles', 'users'],
    )
    expect(body.comments).toMatchObject([{ commentId, flagCount: 0, hashFlag: null }])
    expect(body.roles.length).toBeGreaterThan(0)
    expect(await isFlagged(carol)).toMatchObject({ result: false })
    expect((await queryComments(alice, postId, { hasFlag: true })).ids).toEqual([])
    // A second time there is nothing to clear.
    expect((await alice.delete(path(commentId, '/flags'))).status).toBe(200)
  }) // prettier-ignore

  it('refuses to clear them for whom they are about', async () => {
    for (const client of [bob, carol]) {
      const { status, body } = await client.delete(path(commentId, '/flags'))
      expect([status, body.code]).toEqual([403, 400301])
    }
  })
})

describe('the mark of flagged comments on post and community', () => {
  it('comes with the first flag and goes with the last', async () => {
    expect(await marks()).toEqual([false, false])
    await carol.post(path(commentId, '/flag'))
    await alice.post(path(commentId, '/flag'))
    expect(await marks()).toEqual([true, true])
    await carol.delete(path(commentId, '/unflag'))
    expect(await marks()).toEqual([true, true])
    await alice.delete(path(commentId, '/unflag'))
    expect(await marks()).toEqual([false, false])
  })

  it.each([
    ['cleared', (id: string) => alice.delete(path(id, '/flags'))],
    ['deleted', (id: string) => bob.delete(path(id, '', 'v4'))],
    ['removed', (id: string) => bob.delete(path(id, '?permanent=true', 'v4'))],
  ])('goes when the comment is %s', async (_how, act) => {
    await carol.post(path(commentId, '/flag'))
    expect((await act(commentId)).status).toBe(200)
    expect(await marks()).toEqual([false, false])
  })

  it('stays while another comment is flagged, and goes with a thread that holds flagged answers', async () => {
    const answer = await createComment(bob, postId, { parentId: commentId })
    const other = await createComment(bob, postId)
    for (const { commentId: id } of [answer, other]) await carol.post(path(id, '/flag'))
    await bob.delete(path(commentId))
    expect(await marks()).toEqual([true, true])
    await bob.delete(path(other.commentId))
    expect(await marks()).toEqual([false, false])
  })
})
