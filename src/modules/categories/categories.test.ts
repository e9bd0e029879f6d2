import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TestClient } from '../../../test/harness/client.ts'
import { startTestServer, type TestServer } from '../../../test/harness/server.ts'

const path = '/api/v3/community-categories'

let server: TestServer
let admin: TestClient
let alice: TestClient
beforeAll(async () => {
  server = await startTestServer()
  admin = await server.asAdmin()
  alice = await server.as('alice')
})
afterAll(() => server.close())

async function create(name: string, fields = {}) {
  const { body } = await admin.post(path, { name, ...fields })
  return body.categories[0]
}

describe('a category', () => {
  it('is made, read, changed and deleted, in both forms of answer', async () => {
    const made = await admin.post(path, { name: 'Food', metadata: { b: 1, a: [null] }, avatarFileId: null })
    const [category] = made.body.categories
    expect(made.body).toMatchObject({
      status: 'success',
      data: { categories: [category], files: [] },
      files: [],
    })
    expect(category).toEqual({
      categoryId: expect.stringMatching(/^[0-9a-f]{24}$/),
      name: 'Food',
      avatarFileId: null,
      metadata: { b: 1, a: [null] },
      isDeleted: false,
      deletedAt: null,
      createdAt: expect.any(String),
      updatedAt: category.createdAt,
    })
    const one = `${path}/${category.categoryId}`
    expect((await alice.get(one)).body.categories).toEqual([category])
    const { body } = await admin.put(one, {
      categoryId: category.categoryId,
      name: 'Drinks',
      isDeleted: true,
    })
    expect(body.data.categories).toMatchObject([
      { name: 'Drinks', metadata: category.metadata, isDeleted: false },
    ])
    expect((await admin.delete(`${one}?categoryId=${category.categoryId}`)).body).toEqual({
      status: 'success',
      success: true,
      data: { success: true },
    })
    expect((await alice.get(one)).body.categories).toMatchObject([
      { isDeleted: true, deletedAt: expect.any(String) },
    ])
    expect((await admin.delete(one)).body.code).toBe(400400)
    expect((await admin.put(one, { name: 'x' })).body.code).toBe(400400)
  })

  it("is the network's matter", async () => {
    const { categoryId } = await create('Mine')
    for (const answer of [
      await alice.post(path, { name: 'x' }),
      await alice.put(`${path}/${categoryId}`, { name: 'x' }),
      await alice.delete(`${path}/${categoryId}`),
    ]) {
      expect([answer.status, answer.body.code]).toEqual([403, 400301])
    }
  })

  it.each([
    [{ name: 'x'.repeat(1000) }, 200],
    [{ name: 'x'.repeat(1001) }, 422],
    [{ name: '' }, 422],
    [{}, 422],
    [{ name: 'x', avatarFileId: 'x'.repeat(51) }, 422],
    [{ name: 'x', avatarFileId: 'unknown' }, 404],
    [{ name: 'x', metadata: 'text' }, 422],
  ])('keeps the limits: %j', async (body, status) => {
    expect((await admin.post(path, body)).status).toBe(status)
  })

  it('that is unknown is not found', async () => {
    expect((await alice.get(`${path}/${'0'.repeat(24)}`)).body.code).toBe(400400)
    expect((await alice.get(`${path}/${'x'.repeat(51)}`)).status).toBe(422)
  })
})

describe('lists', () => {
  it('are by id, in the order asked', async () => {
    const ids = [(await create('b')).categoryId, (await create('a')).categoryId]
    const list = await alice.get(`${path}/list`, { categoryIds: [ids[1], 'unknown', ids[0]] })
    expect(list.body.categories.map((one: { categoryId: string }) => one.categoryId)).toEqual([
      ids[1],
      ids[0],
    ])
    expect((await alice.get(`${path}/list`)).body.categories).toEqual([])
    expect((await alice.get(`${path}/list`, { categoryIds: Array(101).fill('x') })).status).toBe(422)
  })

  it('are sorted, filtered and paged', async () => {
    await server.app.db.updateTable('categories').set({ isDeleted: true }).execute()
    const names = ['banana', 'Apple', `cherry${'x'.repeat(990)}`, 'Date', 'elder']
    for (const name of names) await create(name)
    const list = async (query: Record<string, unknown>) => {
      const { status, body } = await alice.get(path, { isDeleted: false, ...query })
      return { status, paging: body.paging, names: body.categories?.map((one: { name: string }) => one.name) }
    }
    const byName = ['Apple', 'banana', names[2], 'Date', 'elder']
    expect((await list({})).names).toEqual(byName)
    expect((await list({ sortBy: 'firstCreated' })).names).toEqual(names)
    expect((await list({ sortBy: 'lastCreated' })).names).toEqual(names.toReversed())
    expect((await list({ isDeleted: true, options: { limit: 100 } })).names).not.toContain('Apple')
    for (const sortBy of ['name', 'firstCreated', 'lastCreated']) {
      const whole = (await list({ sortBy })).names
      const first = await list({ sortBy, options: { limit: 3 } })
      expect(first.paging.next.length).toBeLessThanOrEqual(100)
      const second = await list({ sortBy, options: { token: first.paging.next } })
      expect([...first.names, ...second.names]).toEqual(whole)
      expect(second.paging.next).toBeUndefined()
      expect((await list({ sortBy, options: { token: second.paging.previous } })).names).toEqual(first.names)
    }
    expect((await list({ sortBy: 'size' })).status).toBe(422)
    expect((await list({ options: { limit: 101 } })).status).toBe(422)
  })
})
