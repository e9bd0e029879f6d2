import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  createComment,
  createPost,
  path,
  queryComments,
  uploadPicture,
} from '../../../test/factories/comments.ts'
import type { TestClient } from '../../../test/harness/client.ts'
import { startTestServer, type TestServer } from '../../../test/harness/server.ts'

let server: TestServer
let alice: TestClient
let bob: TestClient
let admin: TestClient
let postId: string
beforeAll(async () => {
  server = await startTestServer()
  alice = await server.as('alice')
  bob = await server.as('bob')
  admin = await server.asAdmin()
  postId = (await createPost(alice)).postId
})
afterAll(() => server.close())

const send = (client: TestClient, body: Record<string, unknown>) =>
  client.post('/api/v3/comments', {
    referenceId: postId,
    referenceType: 'post',
    data: { text: 'x' },
    ...body,
  })
const commentsCount = async (id = postId) =>
  (await alice.get(`/api/v3/posts/${id}`)).body.posts[0].commentsCount as number

describe('creating', () => {
  it('answers all that was said, and who and what it refers to', async () => {
    const fileId = await uploadPicture(bob)
    const said = {
      data: { text: 'See @alice', mood: 'good' },
      metadata: { 'a b': [1, { c: null }] },
      links: [
        { url: 'https://a.example/x', index: 4, length: 6, renderPreview: true, domain: 'a.example', title: 'A', imageUrl: 'https://a.example/i.png' },
        { url: 'https://b.example' },
      ], // prettier-ignore
    }
    const { status, body } = await send(bob, {
      ...said,
      commentId: 'bobs own id',
      mentionees: [{ type: 'user', userIds: ['alice', 'alice', 'nobody'] }],
      attachments: [{ fileId, type: 'image' }],
    })
    expect(status).toBe(200)
    const [comment] = body.comments
    expect(comment).toMatchObject({
      ...said,
      commentId: 'bobs own id',
      userId: 'bob',
      userPublicId: 'bob',
      userInternalId: bob.id,
      rootId: 'bobs own id',
      referenceId: postId,
      referenceType: 'post',
      targetId: 'alice',
      targetType: 'user',
      dataType: 'text',
      dataTypes: ['text', 'image'],
      attachments: [{ fileId, type: 'image' }],
      mentionees: [{ type: 'user', userIds: ['alice'], userPublicIds: ['alice'], userInternalIds: [alice.id] }],
      children: [],
      childrenNumber: 0,
      segmentNumber: 1,
      flagCount: 0,
      hashFlag: null,
      reactions: {},
      reactionsCount: 0,
      myReactions: [],
      isDeleted: false,
      deletedAt: null,
    }) // prettier-ignore
    expect(comment).not.toHaveProperty('parentId')
    expect(comment.editedAt).toBe(comment.createdAt)
    expect(comment.path).toMatch(
      new RegExp(`/social/user/${alice.id}/post/${postId}/comment/${comment._id}$`),
    )
    expect(body.users.map((user: { userId: string }) => user.userId).sort()).toEqual(['alice', 'bob'])
    expect(body.files).toMatchObject([{ fileId }])
    expect(body.roles).toEqual([])
    expect((await alice.get(path('bobs own id'))).body.comments).toEqual([comment])
  })

  it('counts on the post and numbers in order', async () => {
    const own = (await createPost(alice)).postId
    const comments = []
    for (let i = 0; i < 3; i++) comments.push(await createComment(bob, own))
    expect(comments.map((comment) => comment.segmentNumber)).toEqual([1, 2, 3])
    expect(await commentsCount(own)).toBe(3)
  })

  it('takes a picture without text', async () => {
    const { body } = await send(bob, { data: {}, attachments: [{ fileId: await uploadPicture(bob) }] })
    expect(body.comments).toMatchObject([{ data: { text: '' }, dataTypes: ['image'], dataType: 'image' }])
  })

  it('takes comments on what the app names itself, whoever asks', async () => {
    const on = { referenceType: 'content', referenceId: 'articles/1+2#x' }
    const { body } = await send(bob, on)
    expect(body.comments).toMatchObject([{ ...on, targetType: 'content', targetId: on.referenceId }])
    expect(body.comments[0].path).not.toMatch(/[+#%]/)
    expect((await queryComments(alice, on.referenceId, { referenceType: 'content' })).ids).toEqual([
      body.comments[0].commentId,
    ])
  })

  const chars = (n: number) => 'x'.repeat(n)
  const links = (n: number) => Array.from({ length: n }, () => ({ url: 'https://a.example' }))
  const people = (n: number) => Array.from({ length: n }, (_, i) => `person${i}`)
  it.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    ['data.text', { data: { text: chars(50_000) } }, { data: { text: chars(50_001) } }],
    ['links', { links: links(100) }, { links: links(101) }],
    ['links[].url', { links: [{ url: chars(2000) }] }, { links: [{ url: chars(2001) }] }],
    ['commentId', { commentId: chars(900) }, { commentId: chars(901) }],
    ['mentionees', { mentionees: [{ userIds: people(30) }] }, { mentionees: [{ userIds: people(31) }] }],
    [
      'mentionees together',
      { mentionees: [{ userIds: people(30) }, { userIds: people(30) }] },
      { mentionees: [{ userIds: people(30) }, { userIds: ['another'] }] },
    ],
    ['metadata', { metadata: { x: chars(99_000) } }, { metadata: { x: chars(100_001) } }],
    ['data beside the text', { data: { text: 'x', more: chars(99_000) } }, { data: { text: 'x', more: chars(100_001) } }],
  ])('takes %s at its limit and not past it', async (_name, at, past) => {
    expect((await send(bob, at)).status).toBe(200)
    const { status, body } = await send(bob, past)
    expect([status, body.code]).toEqual([422, 500000])
  }) // prettier-ignore

  it.each<[string, Record<string, unknown>, number, number]>([
    ['no text and no picture', { data: {} }, 400, 400000],
    ['text of spaces', { data: { text: ' \n' } }, 400, 400000],
    ['no data', { data: undefined }, 400, 400000],
    ['text of another type', { data: { text: 1 } }, 422, 500000],
    ['a NUL in the text', { data: { text: 'a\u0000b' } }, 422, 500000],
    ['half a character', { referenceType: 'content', referenceId: 'a\ud800' }, 422, 500000],
    ['an unknown reference type', { referenceType: 'video' }, 422, 500000],
    ['a story that is not there', { referenceType: 'story' }, 404, 400400],
    ['no reference', { referenceId: undefined }, 422, 500000],
    ['an empty reference', { referenceId: '' }, 422, 500000],
    ['a reference too long', { referenceId: 'x'.repeat(901) }, 422, 500000],
    ['a reference that is not there', { referenceId: 'x'.repeat(900) }, 404, 400400],
    ['a parent that is not there', { parentId: 'y'.repeat(900) }, 404, 400400],
    ['a parent id too long', { parentId: 'x'.repeat(901) }, 422, 500000],
    ['an unknown file', { attachments: [{ fileId: 'nothing' }] }, 404, 400400],
    ['an attachment of another type', { attachments: [{ fileId: 'nothing', type: 'video' }] }, 422, 500000],
    ['a mention of another type', { mentionees: [{ type: 'channel', userIds: [] }] }, 422, 500000],
    ['a link without an address', { links: [{ title: 'x' }] }, 422, 500000],
    ['a time that is none', { createdAt: 'yesterday' }, 422, 500000],
    ["a time, as one who is no admin", { createdAt: '2020-01-01T00:00:00.000Z' }, 403, 400301],
  ])('refuses %s', async (_name, fields, status, code) => {
    const before = await commentsCount()
    const answer = await send(bob, fields)
    expect([answer.status, answer.body.code]).toEqual([status, code])
    expect(await commentsCount()).toBe(before)
  }) // prettier-ignore

  it('refuses an id that is taken, whoever repeats it, and writes nothing', async () => {
    await send(bob, { commentId: 'taken' })
    const before = await commentsCount()
    for (const client of [bob, alice]) {
      const { status, body } = await send(client, { commentId: 'taken', data: { text: 'again' } })
      expect([status, body.code]).toEqual([409, 400315])
    }
    expect(await commentsCount()).toBe(before)
    expect((await alice.get(path('taken'))).body.comments[0].data).toEqual({ text: 'x' })
  })

  it('lets admins say when something was written, but not that it will be', async () => {
    const createdAt = '2019-05-06T07:08:09.100Z'
    const { body } = await send(admin, { createdAt })
    expect(body.comments).toMatchObject([{ createdAt, editedAt: createdAt }])
    for (const bad of ['2999-01-01T00:00:00.000Z', '1969-12-31T00:00:00.000Z', '2016-12-31T23:59:60Z']) {
      expect((await send(admin, { createdAt: bad })).status).toBe(422)
    }
  })
})

describe('a post', () => {
  it('brings its newest comments along, without those the viewer may not see', async () => {
    const own = (await createPost(alice)).postId
    const first = await createComment(bob, own)
    const second = await createComment(admin, own)
    await createComment(bob, own, { parentId: first.commentId })
    const shown = async (client: TestClient) => {
      const { body } = await client.get(`/api/v3/posts/${own}`)
      expect([...body.posts[0].comments].sort()).toEqual([first.commentId, second.commentId].sort())
      return body.comments.map((comment: { commentId: string }) => comment.commentId).sort()
    }
    expect(await shown(alice)).toEqual([first.commentId, second.commentId].sort())
    await alice.post('/api/v4/me/user-blocks/bob')
    expect(await shown(alice)).toEqual([second.commentId])
    await alice.delete('/api/v4/me/user-blocks/bob')
    await admin.delete(path(second.commentId))
    expect((await alice.get(`/api/v3/posts/${own}`)).body.posts[0].comments).toEqual([first.commentId])
  })
})

describe('answering', () => {
  it('knows parent, root and children at any depth', async () => {
    const own = (await createPost(alice)).postId
    const top = await createComment(bob, own)
    const second = await createComment(alice, own, { parentId: top.commentId })
    const third = await createComment(bob, own, { parentId: second.commentId, commentId: 'third' })
    const fourth = await createComment(alice, own, { parentId: 'third' })
    expect(second).toMatchObject({ parentId: top.commentId, rootId: top.commentId })
    expect(third).toMatchObject({ parentId: second.commentId, rootId: top.commentId })
    expect(fourth).toMatchObject({ parentId: 'third', rootId: top.commentId })
    const { body } = await alice.get(path(top.commentId))
    expect(body.comments).toMatchObject([{ children: [second.commentId], childrenNumber: 1 }])
    // The answers come along, each with its own.
    expect(body.commentChildren.map((one: { commentId: string }) => one.commentId).sort()).toEqual(
      [second.commentId, 'third', fourth.commentId].sort(),
    )
    expect(await commentsCount(own)).toBe(4)
  })

  it('brings the five newest answers along, oldest first, and counts all', async () => {
    const own = (await createPost(alice)).postId
    const top = await createComment(bob, own)
    const answers: string[] = []
    for (let i = 0; i < 7; i++) {
      answers.push((await createComment(bob, own, { parentId: top.commentId })).commentId)
    }
    const [shown] = (await alice.get(path(top.commentId))).body.comments
    expect(shown).toMatchObject({ children: answers.slice(2), childrenNumber: 7 })
  })

  it('refuses a parent of another post and a deleted one', async () => {
    const other = await createComment(bob, (await createPost(alice)).postId)
    expect((await send(bob, { parentId: other.commentId })).status).toBe(404)
    const gone = await createComment(bob, postId)
    await bob.delete(path(gone.commentId))
    expect((await send(bob, { parentId: gone.commentId })).status).toBe(404)
  })
})

describe('editing', () => {
  it('changes what is named and leaves the rest', async () => {
    const fileId = await uploadPicture(bob)
    const before = await createComment(bob, postId, {
      metadata: { a: 1 },
      links: [{ url: 'https://a.example' }],
      mentionees: [{ userIds: ['alice'] }],
      attachments: [{ fileId }],
    })
    const { body } = await bob.put(path(before.commentId), { data: { text: 'changed' } })
    const [after] = body.comments
    expect(after).toEqual({
      ...before,
      data: { text: 'changed' },
      editedAt: after.editedAt,
      updatedAt: after.updatedAt,
    })
    expect(after.editedAt > before.editedAt).toBe(true)
    const all = await bob.put(path(before.commentId), {
      data: { text: '' },
      metadata: {},
      links: [],
      mentionees: [],
    })
    expect(all.body.comments).toMatchObject([
      { metadata: {}, links: [], mentionees: [], attachments: [{ fileId }], dataTypes: ['image'] },
    ])
    const emptied = await bob.put(path(before.commentId), { attachments: [] })
    expect([emptied.status, emptied.body.code]).toEqual([400, 400000])
    const swapped = await bob.put(path(before.commentId), { data: { text: 'only' }, attachments: [] })
    expect(swapped.body.comments).toMatchObject([{ attachments: [], dataTypes: ['text'] }])
  })

  it('keeps the limits of creating', async () => {
    const { commentId } = await createComment(bob, postId)
    expect((await bob.put(path(commentId), { data: { text: 'x'.repeat(50_000) } })).status).toBe(200)
    expect((await bob.put(path(commentId), { data: { text: 'x'.repeat(50_001) } })).status).toBe(422)
    expect((await bob.put(path(commentId), { data: { text: '' } })).status).toBe(400)
  })

  it('leaves no mark where an admin says so', async () => {
    const { commentId, editedAt } = await createComment(bob, postId)
    const put = (client: TestClient) =>
      client.send('PUT', path(commentId), {
        headers: { 'preserve-edited-at': 'true', 'content-type': 'application/json' },
        body: JSON.stringify({ data: { text: 'quietly' } }),
      })
    expect((await put(bob)).status).toBe(403)
    const [comment] = (await put(admin)).body.comments
    expect(comment).toMatchObject({ editedAt, data: { text: 'quietly' } })
    expect(comment.updatedAt > editedAt).toBe(true)
  })

  it('does not find what is deleted or was never there', async () => {
    const { commentId } = await createComment(bob, postId)
    await bob.delete(path(commentId))
    expect((await bob.put(path(commentId), { data: { text: 'late' } })).status).toBe(404)
    expect((await bob.put(path('never'), { data: { text: 'x' } })).status).toBe(404)
  })
})

describe('deleting', () => {
  it('empties a comment and the answers below it, and counts them out', async () => {
    const own = (await createPost(alice)).postId
    const kept = await createComment(bob, own)
    const top = await createComment(bob, own, { metadata: { a: 1 }, mentionees: [{ userIds: ['alice'] }] })
    const answer = await createComment(alice, own, { parentId: top.commentId })
    const below = await createComment(bob, own, { parentId: answer.commentId })
    const { status, body } = await bob.delete(path(top.commentId))
    expect([status, body]).toEqual([200, { status: 'success', success: true, data: { success: true } }])
    expect(await commentsCount(own)).toBe(1)
    for (const { commentId } of [top, answer, below]) {
      const [gone] = (await alice.get(path(commentId))).body.comments
      expect(gone).toMatchObject({
        isDeleted: true,
        data: { text: '' },
        metadata: {},
        mentionees: [],
        children: [],
        childrenNumber: 0,
      })
      expect(gone.deletedAt).not.toBeNull()
    }
    expect((await queryComments(alice, own, { isDeleted: false, filterByParentId: false })).ids).toEqual([
      kept.commentId,
    ])
    expect((await bob.delete(path(top.commentId))).status).toBe(200)
    expect(await commentsCount(own)).toBe(1)
  })

  it('takes one answer out of its parent', async () => {
    const own = (await createPost(alice)).postId
    const top = await createComment(bob, own)
    const [first, second] = [
      await createComment(bob, own, { parentId: top.commentId }),
      await createComment(bob, own, { parentId: top.commentId }),
    ]
    await bob.delete(path(first!.commentId, '', 'v4'))
    expect((await alice.get(path(top.commentId))).body.comments).toMatchObject([
      { children: [second!.commentId], childrenNumber: 1, isDeleted: false },
    ])
    expect(await commentsCount(own)).toBe(2)
  })

  it('removes for good what is asked to be, with reactions and flags, also after a soft delete', async () => {
    const own = (await createPost(alice)).postId
    const top = await createComment(bob, own)
    const answer = await createComment(alice, own, { parentId: top.commentId })
    await alice.post('/api/v2/reactions', { referenceType: 'comment', referenceId: answer.commentId, reactionName: 'like' })
    await bob.post(path(answer.commentId, '/flag'))
    await bob.delete(path(answer.commentId, '?permanent=false', 'v4'))
    expect((await alice.get(path(answer.commentId))).status).toBe(200)
    await bob.delete(path(top.commentId, '?permanent=true', 'v4'))
    for (const { commentId } of [top, answer]) expect((await alice.get(path(commentId))).status).toBe(404)
    expect((await bob.delete(path(top.commentId, '?permanent=true', 'v4'))).status).toBe(404)
    expect(await commentsCount(own)).toBe(0)
    for (const table of ['reactions', 'flags'] as const) {
      const left = await server.app.db.selectFrom(table).select('id').where('referenceId', '=', answer._id).execute()
      expect(left).toEqual([])
    }
  }) // prettier-ignore

  it('ignores permanent in the older operation', async () => {
    const { commentId } = await createComment(bob, postId)
    expect((await bob.delete(path(commentId, '?permanent=true'))).status).toBe(200)
    expect((await bob.get(path(commentId))).status).toBe(200)
  })
})
