import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createComment, createPost, queryComments, uploadPicture } from '../../../test/factories/comments.ts'
import type { TestClient } from '../../../test/harness/client.ts'
import { countQueries } from '../../../test/harness/count-queries.ts'
import { startTestServer, type TestServer } from '../../../test/harness/server.ts'

let server: TestServer
let alice: TestClient
let admin: TestClient
let postId: string
/** Comment ids by name: `a` to `g` in the order written; `b1` to `b4` answer `b`. */
const ids: Record<string, string> = {}
const nameOf = (id: string) => Object.keys(ids).find((name) => ids[name] === id) ?? id

beforeAll(async () => {
  server = await startTestServer()
  alice = await server.as('alice')
  admin = await server.asAdmin()
  postId = (await createPost(alice)).postId
  const attachments = [{ fileId: await uploadPicture(alice) }]
  const add = async (name: string, fields: Record<string, unknown> = {}) => {
    const minute = String(Object.keys(ids).length).padStart(2, '0')
    const createdAt = `2024-01-01T00:${minute}:00.000Z`
    ids[name] = (
      await createComment(admin, postId, { commentId: `id of ${name}`, createdAt, ...fields })
    ).commentId
  }
  for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) {
    await add(name, {
      ...(name === 'c' && { attachments }),
      ...(name === 'd' && { attachments, data: {} }),
    })
  }
  for (const name of ['b1', 'b2', 'b3', 'b4']) await add(name, { parentId: ids.b })
  await admin.delete(`/api/v4/comments/${encodeURIComponent(ids.f!)}`)
  await alice.post(`/api/v3/comments/${encodeURIComponent(ids.e!)}/flag`)
  await alice.post('/api/v2/reactions', {
    referenceType: 'comment',
    referenceId: ids.a,
    reactionName: 'like',
  })
})
afterAll(() => server.close())

/** The names of the comments a query answers, in order, as one word a comment. */
async function ask(query: Record<string, unknown>): Promise<string> {
  const { ids: found, status } = await queryComments(alice, postId, { options: { limit: 50 }, ...query })
  expect(status).toBe(200)
  return found.map(nameOf).join(' ')
}

describe('filters and order', () => {
  const all = { filterByParentId: false }
  it.each<[string, Record<string, unknown>, string]>([
    ['nothing asked: the top, newest first, deleted ones too', {}, 'g f e d c b a'],
    ['not deleted', { isDeleted: false }, 'g e d c b a'],
    ['not deleted, by its other name', { includeDeleted: false }, 'g e d c b a'],
    ['deleted ones too, by its other name', { includeDeleted: true }, 'g f e d c b a'],
    ['only deleted', { isDeleted: true }, 'f'],
    ['first created', { sortBy: 'firstCreated' }, 'a b c d e f g'],
    ['last updated', { sortBy: 'lastUpdated', isDeleted: false }, 'a e g d c b'],
    ['first updated', { sortBy: 'firstUpdated', isDeleted: false }, 'b c d g e a'],
    ['answers', { parentId: 'id of b' }, 'b4 b3 b2 b1'],
    ['answers, as one client asks', { parentId: 'id of b', filterByParentId: true, sortBy: 'firstCreated', postId: 'x' }, 'b1 b2 b3 b4'],
    ['an empty parent', { parentId: '' }, 'g f e d c b a'],
    ['all depths', all, 'b4 b3 b2 b1 g f e d c b a'],
    ['all depths, a parent named', { ...all, parentId: 'id of b' }, 'b4 b3 b2 b1 g f e d c b a'],
    ['flagged', { hasFlag: true }, 'e'],
    ['not flagged', { hasFlag: false, isDeleted: false }, 'g d c b a'],
    ['with text', { dataTypes: { values: ['text'] }, isDeleted: false }, 'g e c b a'],
    ['with text or a picture', { dataTypes: { values: ['text', 'image'], matchType: 'any' }, isDeleted: false }, 'g e d c b a'],
    ['with text and a picture', { dataTypes: { values: ['image', 'text'], matchType: 'exact' } }, 'c'],
    ['with a picture only', { dataTypes: { values: ['image'], matchType: 'exact' } }, 'd'],
    ['with what there is not', { dataTypes: { values: ['video'] } }, ''],
    ['no data types after all', { dataTypes: { values: [], matchType: 'any' } }, 'g f e d c b a'],
    ['a page size under its other name', { options: { pageSize: 2 } }, 'g f'],
    ['both sizes, as one client asks', { options: { type: 'pagination', pageSize: 3, limit: 3 } }, 'g f e'],
    ['the first', { options: { type: 'scrollable', first: 2 } }, 'g f'],
    ['the last', { options: { type: 'scrollable', last: 2 } }, 'b a'],
    ['a flat limit', { options: undefined, limit: 2 }, 'g f'],
    ['some left out', { options: { skip: 2, limit: 2 } }, 'e d'],
    ['after a comment', { options: { after: 'id of e', limit: 2 } }, 'd c'],
    ['before a comment', { options: { before: 'id of e', limit: 2 } }, 'g f'],
    ['after a number', { options: { after: 5, first: 2 } }, 'd c'],
    ['before a number', { options: { before: 5, last: 1 } }, 'f'],
  ])('%s', async (_name, query, names) => expect(await ask(query)).toBe(names)) // prettier-ignore

  it.each<[string, Record<string, unknown>, number]>([
    ['an unknown order', { sortBy: 'best' }, 422],
    ['an unknown match', { dataTypes: { values: ['text'], matchType: 'all' } }, 422],
    ['a size of 0', { options: { limit: 0 } }, 422],
    ['a size past 100', { options: { limit: 101 } }, 422],
    ['a size that is no number', { options: { limit: 'many' } }, 422],
    ['more than 100 left out', { options: { skip: 101 } }, 422],
    ['a token of nobody', { options: { token: 'rubbish' } }, 400],
    ['a token of another list', { options: { token: Buffer.from('{"limit":5,"after":[1]}').toString('base64') } }, 400],
    ['after a comment that is not there', { options: { after: 'nothing' } }, 404],
    ['answers to a comment that is not there', { parentId: 'nothing' }, 404],
    ['a post that is not there', { referenceId: 'nothing' }, 404],
    ['no post', { referenceId: undefined }, 422],
    ['a reference too long', { referenceId: 'x'.repeat(901) }, 422],
  ])('refuses %s', async (_name, query, status) => {
    expect((await queryComments(alice, postId, query)).status).toBe(status)
  }) // prettier-ignore
})

describe('pages', () => {
  it.each(['firstCreated', 'lastCreated', 'firstUpdated', 'lastUpdated'])(
    'of two, by %s, joined are the whole, there and back',
    async (sortBy) => {
      const query = { sortBy, filterByParentId: false, dataTypes: { values: ['text', 'image'] } }
      const whole = (await ask(query)).split(' ')
      const seen: string[] = []
      let options: Record<string, unknown> = { limit: 2 }
      let last
      for (let pages = 0; pages < 10; pages++) {
        last = await queryComments(alice, postId, { ...query, options })
        seen.push(...last.ids.map(nameOf))
        expect(last.body.paging.previous).toBe(last.body.paging.prev)
        if (!last.body.paging.next) break
        expect(last.body.paging.next.length).toBeLessThanOrEqual(100)
        options = { token: last.body.paging.next }
      }
      expect(seen).toEqual(whole)
      const back = last!.ids.map(nameOf)
      for (let token = last!.body.paging.previous; token; token = last!.body.paging.previous) {
        last = await queryComments(alice, postId, { ...query, options: { token } })
        back.unshift(...last.ids.map(nameOf))
      }
      expect(back).toEqual(whole)
    },
  )

  it('stay whole while comments are written', async () => {
    const own = (await createPost(alice)).postId
    for (let i = 0; i < 4; i++) await createComment(alice, own)
    const first = await queryComments(alice, own, { options: { limit: 2 } })
    const added = await createComment(alice, own)
    const second = await queryComments(alice, own, { options: { token: first.body.paging.next } })
    expect(new Set([...first.ids, ...second.ids]).size).toBe(4)
    expect([...first.ids, ...second.ids]).not.toContain(added.commentId)
  })

  it('has no next after the last and no previous before the first', async () => {
    const { body } = await queryComments(alice, postId, { options: { limit: 7 } })
    expect(body.paging).toEqual({})
    const last = await queryComments(alice, postId, { options: { last: 7 } })
    expect(last.body.paging).toEqual({})
  })
})

describe('listing by id', () => {
  const list = (commentIds: string[]) => alice.get('/api/v3/comments/list', { commentIds })

  it('keeps the order asked, leaves out what is unknown, and decodes what clients encode twice', async () => {
    const asked = [ids.c!, 'nothing', ids.a!, ids.b1!]
    const { body } = await list(asked)
    expect(body.comments.map((one: { commentId: string }) => nameOf(one.commentId))).toEqual(['c', 'a', 'b1'])
    const twice = await list([encodeURIComponent(ids.a!)])
    expect(twice.body.comments).toMatchObject([
      { commentId: ids.a, myReactions: ['like'], reactions: { like: 1 } },
    ])
  })

  it('takes one to ten ids of up to fifty characters', async () => {
    const many = (n: number) => Array.from({ length: n }, (_, i) => `id ${i}`)
    expect((await list(many(10))).status).toBe(200)
    expect((await list(many(11))).status).toBe(422)
    expect((await list(['x'.repeat(50)])).status).toBe(200)
    expect((await list(['x'.repeat(51)])).status).toBe(422)
    expect((await alice.get('/api/v3/comments/list')).status).toBe(422)
  })
})

it('costs as many queries for fifty comments as for one', async () => {
  const own = (await createPost(alice)).postId
  for (let i = 0; i < 50; i++) await createComment(alice, own)
  await server.settled()
  const read = async (limit: number) => {
    const { ids: found } = await queryComments(alice, own, { options: { limit } })
    expect(found).toHaveLength(limit)
  }
  // The least of some tries: a server does things of its own meanwhile.
  const cost = async (limit: number) => {
    const tries = []
    for (let i = 0; i < 4; i++) tries.push(await countQueries(() => read(limit)))
    return Math.min(...tries)
  }
  expect(await cost(50)).toBe(await cost(1))
})
