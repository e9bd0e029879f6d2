import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createCommunity, join, privacies } from '../../../../test/factories/communities.ts'
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

const search = async (query: string, fields: Record<string, unknown> = {}, who = bob) => {
  const { status, body } = await who.get('/api/v1/semantic-search/communities', { query, ...fields })
  expect(status).toBe(200)
  const ids = body.communities.map((one: { communityId: string }) => one.communityId) as string[]
  expect(body.searchResult.map((hit: { communityId: string }) => hit.communityId)).toEqual(ids)
  return ids
}
const create = async (displayName: string, fields: Record<string, unknown> = {}): Promise<string> =>
  (await createCommunity(alice, { displayName, ...fields })).communityId

describe('a search for communities', () => {
  it('puts names before descriptions, and all words before some', async () => {
    const described = await create('Gardeners', { description: 'For beekeepers too' })
    const named = await create('Beekeepers')
    const both = await create('Beekeepers of Graz', { description: 'Gardeners welcome' })
    const found = await search('beekeep')
    expect([new Set(found), found[2]]).toEqual([new Set([named, both, described]), described])
    expect((await search('beekeepers graz'))[0]).toBe(both)
    expect(await search('BÉEKEEPERS')).toHaveLength(3)
    expect(await search(`' | !x`)).toEqual([])
  })

  it('shows only what the searcher may know of', async () => {
    const open = await create('Otters', privacies.public)
    const closed = await create('Otters, closed', privacies.discoverable)
    const hidden = await create('Otters, hidden', privacies.hidden)
    expect((await search('otters')).sort()).toEqual([open, closed].sort())
    expect(await search('otters', { includeDiscoverablePrivateCommunity: false })).toEqual([open])
    expect((await search('otters', {}, alice)).sort()).toEqual([open, closed, hidden].sort())
    await join(bob, open)
    expect(await search('otters', { filter: 'member' })).toEqual([open])
    expect(await search('otters', { filter: 'notMember' })).toEqual([closed])
    await alice.delete(`/api/v3/communities/${open}`)
    expect(await search('otters')).toEqual([closed])
  })

  it('chooses by tag and category', async () => {
    const admin = await server.asAdmin()
    const { categories } = (await admin.post('/api/v3/community-categories', { name: 'Birds' })).body
    const categoryIds = [categories[0].categoryId]
    const tagged = await create('Herons one', { tags: ['water'] })
    const filed = await create('Herons two', { categoryIds })
    expect(await search('herons', { tags: ['water', 'other'] })).toEqual([tagged])
    expect(await search('herons', { categoryIds })).toEqual([filed])
    const first = (
      await bob.get('/api/v1/semantic-search/communities', { query: 'herons', options: { limit: 1 } })
    ).body
    const second = await search('herons', { options: { token: first.paging.next } })
    expect([first.searchResult[0].communityId, ...second].sort()).toEqual([tagged, filed].sort())
  })
})
