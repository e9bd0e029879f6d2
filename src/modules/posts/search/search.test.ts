import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createCommunity } from '../../../../test/factories/communities.ts'
import { block } from '../../../../test/factories/follows.ts'
import { createPost, inCommunity, uploadPicture } from '../../../../test/factories/posts.ts'
import type { TestClient } from '../../../../test/harness/client.ts'
import { startTestServer, type TestServer } from '../../../../test/harness/server.ts'

let server: TestServer
let alice: TestClient
let bob: TestClient
beforeAll(async () => {
  server = await startTestServer()
  ;[alice, bob] = await Promise.all([server.as('alice'), server.as('bob')])
})
afterAll(() => server.close())

type Fields = Record<string, unknown>
const search = async (query: string, fields: Fields = {}, who = bob) => {
  const { status, body } = await who.get('/api/v1/semantic-search/posts', { query, ...fields })
  expect(status).toBe(200)
  const ids = body.posts.map((post: { postId: string }) => post.postId) as string[]
  expect(body.searchResult.map((hit: { postId: string }) => hit.postId)).toEqual(ids)
  expect(body.searchResults).toEqual(body.searchResult)
  return ids
}
const write = async (text: string, fields: Fields = {}, who = alice): Promise<string> =>
  (await createPost(who, { data: { text }, ...fields })).postId

describe('a search by words', () => {
  it('finds all words before some, titles before texts, whole words and their beginnings', async () => {
    const one = await write('The willow is old')
    const both = await write('A willow beside the brook, another willow')
    const titled = await write('Nothing else', { data: { title: 'Willow', text: 'Nothing else' } })
    expect(await search('willow brook')).toEqual([both, titled, one])
    expect(await search('will')).toEqual([titled, both, one])
    expect(await search('willows')).toEqual([])
    const { body } = await bob.get('/api/v1/semantic-search/posts', { query: 'willow brook' })
    const scores = body.searchResult.map((hit: { score: number }) => hit.score) as number[]
    expect(scores[0]).toBeGreaterThan(0.5)
    expect(scores.every((score, i) => score > 0 && score <= (scores[i - 1] ?? 1))).toBe(true)
  })

  it.each([
    ['cafe', 'Ein Café in Graz'],
    ['CAFÉ', 'the cafe next door'],
    ['strasse', 'Lange Strasse'],
    ['привет', 'Привет всем'],
    ['ώρα', 'Ωρα καλή'],
    ['example.org', 'look at example.org today'],
    ["l'été", 'pendant l’ete'],
  ])('finds by %s: %s', async (query, text) => {
    const postId = await write(text)
    expect(await search(query)).toContain(postId)
  })

  it.each([
    `'`,
    `''; drop table posts; --`,
    `a & !b | (c`,
    `:*`,
    `\\`,
    `zz' | 'willow`,
    '%',
    '<->',
    '!!!',
    '   ',
    '\u202e\ufeff',
    'x'.repeat(1024),
    `${'y '.repeat(512)}`.slice(0, 1024),
  ])('takes %j as words', async (query) => {
    await search(query)
    expect((await search('willow')).length).toBe(3)
  })

  it('is refused beyond 1,024 characters, and without a query', async () => {
    const status = async (query: Fields) => (await bob.get('/api/v1/semantic-search/posts', query)).status
    expect(await status({ query: 'x'.repeat(1025) })).toBe(422)
    expect(await status({})).toBe(422)
    expect(await status({ query: 'x', options: { token: 'nonsense' } })).toBe(400)
  })

  it('keeps a post of 50,000 characters and words of any length', async () => {
    const long = await write(`${'long '.repeat(9000)} ${'q'.repeat(4000)} needle`)
    expect(await search('needle')).toEqual([long])
  })

  it('chooses by place, type and tag', async () => {
    const { communityId } = await createCommunity(alice)
    const fileId = await uploadPicture(alice)
    const inside = await write('heron one', { ...inCommunity(communityId), tags: ['birds'] })
    const picture = await write('heron two', { attachments: [{ type: 'image', fileId }] })
    expect((await search('heron')).sort()).toEqual([inside, picture].sort())
    expect(await search('heron', { targetType: 'community', targetId: communityId })).toEqual([inside])
    expect(await search('heron', { targetType: 'user' })).toEqual([picture])
    expect(await search('heron', { tags: ['birds'] })).toEqual([inside])
    expect(await search('heron', { dataTypes: ['image'] })).toEqual([picture])
    expect(await search('heron', { dataTypes: ['image'], matchingOnlyParentPost: false })).toEqual([picture])
    expect(await search('heron', { dataTypes: ['video'] })).toEqual([])
  })

  it('follows edits and deletions', async () => {
    const postId = await write('a salamander')
    await alice.put(`/api/v3/posts/${postId}`, { data: { text: 'a newt' } })
    expect([await search('salamander'), await search('newt')]).toEqual([[], [postId]])
    await alice.delete(`/api/v3/posts/${postId}`)
    expect(await search('newt')).toEqual([])
  })

  it('never shows what the searcher may not read', async () => {
    const carol = await server.as('carol')
    const { communityId } = await createCommunity(alice, { isPublic: false })
    await write('a hidden badger', inCommunity(communityId))
    const shown = await write('an open badger')
    expect(await search('badger')).toEqual([shown])
    expect((await search('badger', {}, alice)).length).toBe(2)
    const place = { query: 'badger', targetType: 'community', targetId: communityId }
    expect((await bob.get('/api/v1/semantic-search/posts', place)).status).toBeGreaterThanOrEqual(403)
    await block(alice, 'carol')
    expect(await search('badger', {}, carol)).toEqual([])
  })

  it('reads page by page what it reads at once', async () => {
    for (let i = 0; i < 12; i++) await write(`${'pebble '.repeat((i % 4) + 1)} shore`)
    const whole = await search('pebble shore', { options: { limit: 100 } })
    const pages: string[][] = []
    let token: string | undefined
    do {
      const { body } = await bob.get('/api/v1/semantic-search/posts', {
        query: 'pebble shore',
        options: token ? { token } : { limit: 5 },
      })
      pages.push(body.searchResult.map((hit: { postId: string }) => hit.postId))
      token = body.paging.next
    } while (token)
    expect(pages.map((page) => page.length)).toEqual([5, 5, 2])
    expect(pages.flat()).toEqual(whole)
  })

  it('leaves out what scores less than the network wants', async () => {
    const admin = await server.asAdmin()
    const path = '/api/v3/network-settings/semantic-search'
    await admin.put(path, { postMinScore: 0.5 })
    expect((await search('willow brook')).length).toBe(1)
    await admin.put(path, { postMinScore: 0 })
  })
})
