import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createCommunity, join, path } from '../../../test/factories/communities.ts'
import type { TestClient } from '../../../test/harness/client.ts'
import { startTestServer, type TestServer } from '../../../test/harness/server.ts'

let server: TestServer
let alice: TestClient
let bob: TestClient
let food: string
const idOf = new Map<string, string>()
const names = new Map<string, string>()

beforeAll(async () => {
  server = await startTestServer()
  alice = await server.as('alice')
  bob = await server.as('bob')
  const admin = await server.asAdmin()
  food = (await admin.post('/api/v3/community-categories', { name: 'Food' })).body.categories[0].categoryId
  const make = async (displayName: string, fields = {}) => {
    const { communityId } = await createCommunity(alice, { displayName, ...fields })
    idOf.set(displayName, communityId)
    names.set(communityId, displayName)
  }
  await make('Bread', { tags: ['baking', 'slow'], categoryIds: [food] })
  await make('apples', { tags: ['fruit'], categoryIds: [food] })
  await make('Chess 100%', { tags: ['slow'] })
  await make('Gone', { tags: ['fruit'] })
  await make('Apple pie', { isPublic: false, isDiscoverable: true })
  await make('Hidden', { isPublic: false })
  await alice.delete(path(idOf.get('Gone')!))
  await join(bob, idOf.get('Bread')!)
  await server.app.db
    .updateTable('communities')
    .set({ flaggedPostsCount: 1 })
    .where('id', '=', idOf.get('apples')!)
    .execute()
})
afterAll(() => server.close())

async function query(filters: Record<string, unknown> = {}, client = bob) {
  const categoryId = filters.categoryId && food
  const asked = { options: { limit: 50 }, ...filters, ...(categoryId !== undefined && { categoryId }) }
  const { status, body } = await client.get('/api/v3/communities', asked)
  return {
    status,
    body,
    names: body.communities?.map((one: { communityId: string }) => names.get(one.communityId)) as string[],
  }
}

const all = { includeDiscoverablePrivateCommunity: true }

describe('the communities query', () => {
  it.each([
    ['what is public, newest first', {}, ['Gone', 'Chess 100%', 'apples', 'Bread']],
    ['discoverable ones too', all, ['Apple pie', 'Gone', 'Chess 100%', 'apples', 'Bread']],
    ['oldest first', { sortBy: 'firstCreated' }, ['Bread', 'apples', 'Chess 100%', 'Gone']],
    [
      'by name, any case',
      { ...all, sortBy: 'displayName' },
      ['Apple pie', 'apples', 'Bread', 'Chess 100%', 'Gone'],
    ],
    ['the living', { isDeleted: false }, ['Chess 100%', 'apples', 'Bread']],
    ['the living, as clients say it', { includeDeleted: false }, ['Chess 100%', 'apples', 'Bread']],
    ['the deleted', { isDeleted: true }, ['Gone']],
    ["one's own", { filter: 'member' }, ['Bread']],
    ["others'", { membership: 'notMember', isDeleted: false }, ['Chess 100%', 'apples']],
    ['by keyword', { ...all, keyword: 'APPLE' }, ['Apple pie', 'apples']],
    ['by display name, as clients say it', { displayName: 'read' }, ['Bread']],
    ['by what looks like a pattern', { keyword: '0%' }, ['Chess 100%']],
    ['by tags, any of them', { tags: ['baking', 'fruit'], isDeleted: false }, ['apples', 'Bread']],
    ['by category', { categoryId: 'food' }, ['apples', 'Bread']],
    ['by flags', { hasFlag: true }, ['apples']],
    ['without flags', { hasFlag: false, isDeleted: false }, ['Chess 100%', 'Bread']],
    [
      'all filters at once',
      { keyword: 'b', tags: ['slow'], categoryId: 'food', filter: 'member', isDeleted: false },
      ['Bread'],
    ],
    ['nothing', { keyword: 'nothing like it' }, []],
  ])('finds %s', async (_what, filters, expected) => {
    expect((await query(filters)).names).toEqual(expected)
  })

  it('finds private ones for their members, and everything for the staff', async () => {
    expect((await query({ filter: 'member', isDeleted: false }, alice)).names).toContain('Hidden')
    expect((await query({ keyword: 'hidden' }, await server.asAdmin())).names).toEqual(['Hidden'])
  })

  it("carries one's own membership with each", async () => {
    const { body } = await query({ isDeleted: false })
    const byName = new Map(body.communities.map((one: { displayName: string }) => [one.displayName, one]))
    expect(byName.get('Bread')).toMatchObject({ isJoined: true })
    expect(byName.get('apples')).toMatchObject({
      isJoined: false,
      hasFlaggedPost: true,
      hasFlaggedComment: false,
    })
    expect(body.communityUsers).toMatchObject([
      { communityId: idOf.get('Bread'), userId: 'bob', communityMembership: 'member' },
    ])
    expect(body.categories).toMatchObject([{ categoryId: food }])
    expect(body.feeds).toHaveLength(9)
  })

  it.each(['firstCreated', 'lastCreated', 'displayName'])('pages by %s, forth and back', async (sortBy) => {
    const whole = (await query({ ...all, sortBy })).names
    const pages: string[][] = []
    let paging: { next?: string; previous?: string } = {}
    let options: Record<string, unknown> = { limit: 2 }
    do {
      const page = await query({ ...all, sortBy, options })
      pages.push(page.names)
      paging = page.body.paging
      for (const token of [paging.next, paging.previous])
        expect((token ?? '').length).toBeLessThanOrEqual(100)
      options = { token: paging.next }
    } while (paging.next)
    expect(pages.flat()).toEqual(whole)
    expect((await query({ ...all, sortBy, options: { token: paging.previous } })).names).toEqual(pages.at(-2))
  })

  it('keeps pages by name whole when the boundary is renamed or new ones come', async () => {
    const first = await query({ ...all, sortBy: 'displayName', options: { limit: 2 } })
    await createCommunity(alice, { displayName: 'AAA', isPublic: false, isDiscoverable: true })
    const second = await query({ ...all, sortBy: 'displayName', options: { token: first.body.paging.next } })
    expect([...first.names, ...second.names]).toEqual(['Apple pie', 'apples', 'Bread', 'Chess 100%'])
  })

  it.each([
    [{ keyword: 'x'.repeat(100) }, 200],
    [{ keyword: 'x'.repeat(101) }, 422],
    [{ tags: Array(10).fill('t') }, 200],
    [{ tags: Array(11).fill('t') }, 422],
    [{ tags: ['t'.repeat(1001)] }, 422],
    [{ filter: 'mine' }, 422],
    [{ sortBy: 'size' }, 422],
    [{ options: { limit: 101 } }, 422],
    [{ options: { token: 'x' } }, 400],
    [{ unknown: 'thing' }, 200],
  ])('limits %j', async (filters, status) => {
    expect((await query(filters)).status).toBe(status)
  })
})

describe('recommended communities', () => {
  const recommended = async (client: TestClient, filters: Record<string, unknown> = {}) => {
    const { body } = await client.get('/api/v3/communities/recommended', filters)
    return body.communities.map((one: { communityId: string }) => names.get(one.communityId)).filter(Boolean)
  }

  it("are others' living ones: first those of one's own categories, then the larger", async () => {
    await join(await server.as('carol'), idOf.get('Chess 100%')!)
    expect(await recommended(bob)).toEqual(['apples', 'Chess 100%'])
    expect(await recommended(bob, all)).toEqual(['apples', 'Chess 100%', 'Apple pie'])
    expect(await recommended(await server.as('newcomer'))).toEqual(['Chess 100%', 'Bread', 'apples'])
    expect(await recommended(bob, { options: { limit: 1 } })).toEqual(['apples'])
  })

  it('leave out what one is banned from', async () => {
    await alice.put(path(idOf.get('apples')!, '/users/ban'), { userIds: ['bob'] })
    expect(await recommended(bob)).toEqual(['Chess 100%'])
    await alice.put(path(idOf.get('apples')!, '/users/unban'), { userIds: ['bob'] })
  })

  it.each(['recommended', 'top-trending'])('%s keeps its limits', async (list) => {
    const statusOf = async (options: object) =>
      (await bob.get(`/api/v3/communities/${list}`, { options })).status
    expect(await statusOf({ limit: 1 })).toBe(200)
    expect(await statusOf({ limit: 100 })).toBe(200)
    expect(await statusOf({ limit: 0 })).toBe(422)
    expect(await statusOf({ limit: 101 })).toBe(422)
  })
})
