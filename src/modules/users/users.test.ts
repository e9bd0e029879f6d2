import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sql } from 'kysely'
import { mayHold } from '../flags/index.ts'
import type { TestClient } from '../../../test/harness/client.ts'
import { startTestServer, type TestServer } from '../../../test/harness/server.ts'

let server: TestServer
let admin: TestClient
let alice: TestClient
let bob: TestClient

beforeAll(async () => {
  server = await startTestServer()
  admin = await server.asAdmin()
  alice = await server.as('alice')
  bob = await server.as('bob')
})
afterAll(() => server.close())

const userOf = async (userId: string) => (await bob.get(`/api/v3/users/${userId}`)).body.users[0]
const events = async (name: string) => {
  const { rows } = await sql<{ subject: { id: string } }>`
    select subject from outbox_events where name = ${name}`.execute(server.app.db)
  return rows.map((row) => row.subject.id)
}
const denied = { status: 403, body: { status: 'error', code: 400301 } }
const missing = { status: 404, body: { status: 'error', code: 400400 } }

describe('a profile', () => {
  it('has every field and keeps metadata byte for byte', async () => {
    const metadata = '{"b":1.0,"a":[1e3,"\\u00e9"],"nested":{"z":null,"a":true},"10":1,"2":2}'
    const changed = await alice.send('PUT', '/api/v3/users/', {
      headers: { 'content-type': 'application/json' },
      body: `{"displayName":"Alice A.","description":"hi","profileHandle":"Alice_1","avatarCustomUrl":"https://example.org/a.png","tags":["x"],"metadata":${metadata},"createNewUserWhenNotFound":false,"unknown":1}`,
    })
    expect(changed.status).toBe(200)
    const user = changed.body.users[0]
    expect(user).toMatchObject({
      userId: 'alice',
      userPublicId: 'alice',
      userInternalId: user._id,
      displayName: 'Alice A.',
      description: 'hi',
      profileHandle: 'Alice_1',
      avatarCustomUrl: 'https://example.org/a.png',
      avatarFileId: null,
      tags: ['x'],
      flagCount: 0,
      hashFlag: null,
      roles: [],
      permissions: [],
      isBrand: false,
      isGlobalBan: false,
      isDeleted: false,
      deletedAt: null,
    })
    expect(JSON.stringify(user.metadata)).toBe(JSON.stringify(JSON.parse(metadata)))
    expect(await userOf('alice')).toEqual(user)
    expect(await events('user.updated')).toContain(user._id)
  })

  it.each([
    ['displayName', 100],
    ['description', 500],
    ['avatarCustomUrl', 1000],
  ])('%s takes %i characters and not one more', async (field, limit) => {
    expect((await bob.put('/api/v3/users', { [field]: 'é'.repeat(limit) })).status).toBe(200)
    expect((await bob.put('/api/v3/users', { [field]: 'é'.repeat(limit + 1) })).status).toBe(422)
  })

  it('takes 5,000 bytes of metadata and not one more', async () => {
    const bytes = (n: number) => ({ metadata: { a: 'x'.repeat(n - '{"a":""}'.length) } })
    expect((await bob.put('/api/v3/users', bytes(5000))).status).toBe(200)
    expect((await bob.put('/api/v3/users', bytes(5001))).status).toBe(422)
  })

  it('a handle belongs to one person, however it is spelt, and can be given back', async () => {
    const taken = await bob.put('/api/v3/users', { profileHandle: 'ALICE_1' })
    expect(taken).toMatchObject({ status: 409, body: { code: 400315 } })
    const both = await Promise.all(
      [alice, bob].map((client) => client.put('/api/v3/users', { profileHandle: 'wanted' })),
    )
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409])
    for (const client of [alice, bob])
      expect((await client.put('/api/v3/users', { profileHandle: null })).status).toBe(200)
  })

  it('is changed by its owner and by who may edit users', async () => {
    expect(await bob.put('/api/v3/users', { userId: 'alice', displayName: 'x' })).toMatchObject(denied)
    const byAdmin = await admin.put('/api/v3/users', { userId: 'alice', displayName: 'Renamed' })
    expect(byAdmin.body.users[0]).toMatchObject({ userId: 'alice', displayName: 'Renamed' })
    expect(await admin.put('/api/v3/users', { userId: 'nobody', displayName: 'x' })).toMatchObject(missing)
    const made = await admin.put('/api/v3/users', { userId: 'made', createNewUserWhenNotFound: true })
    expect(made.body.users[0].userId).toBe('made')
  })

  it('keeps its name where the network gives the names', async () => {
    await admin.put('/api/v3/network-settings/users', { isAllowUpdateDisplayName: false })
    try {
      expect(await bob.put('/api/v3/users', { displayName: 'New' })).toMatchObject(denied)
      expect((await bob.put('/api/v3/users', { description: 'still mine' })).status).toBe(200)
      const before = (await userOf('bob')).displayName
      const again = await fetch(`${server.url}/api/v5/sessions`, {
        method: 'POST',
        headers: { 'x-api-key': server.apiKey, 'content-type': 'application/json' },
        body: JSON.stringify({ userId: 'bob', displayName: 'Sneaky', deviceId: 'other' }),
      })
      expect(((await again.json()) as { users: { displayName: string }[] }).users[0]!.displayName).toBe(
        before,
      )
      const renamed = { userId: 'bob', displayName: 'Given' }
      expect((await admin.put('/api/v3/users', renamed)).body.users[0].displayName).toBe('Given')
    } finally {
      await admin.put('/api/v3/network-settings/users', { isAllowUpdateDisplayName: true })
    }
  })
})

describe('lists', () => {
  beforeAll(async () => {
    for (const name of ['Zoe Quick', 'zoltan', 'Mazo_100%', 'mazoX']) {
      const userId = `q-${name.toLowerCase().replaceAll(/\W/g, '')}`
      await admin.put('/api/v3/users', { userId, createNewUserWhenNotFound: true, displayName: name })
    }
  })
  const names = async (query: Record<string, unknown>) =>
    (await alice.get('/api/v3/users', query)).body.users.map(
      (user: { displayName: string }) => user.displayName,
    )

  it.each([
    [{ keyword: 'zo' }, ['Zoe Quick', 'zoltan']],
    [{ keyword: 'ZO', matchType: 'partial' }, ['Mazo_100%', 'mazoX', 'Zoe Quick', 'zoltan']],
    [{ keyword: 'zoe quick', exactMatchKeyword: true }, ['Zoe Quick']],
    [{ keyword: 'zo', exactMatchKeyword: true }, []],
    [{ keyword: 'mazo_' }, ['Mazo_100%']],
    [{ keyword: '100%', matchType: 'partial' }, ['Mazo_100%']],
    [{ keyword: 'q-zoltan' }, ['zoltan']],
    [{ displayName: 'zol' }, ['zoltan']],
    [{ keyword: 'zo', sortBy: 'firstCreated' }, ['Zoe Quick', 'zoltan']],
    [{ keyword: 'zo', sortBy: 'lastCreated' }, ['zoltan', 'Zoe Quick']],
  ])('%j finds %j', async (query, expected) => expect(await names(query)).toEqual(expected))

  it.each(['displayName', 'firstCreated', 'lastCreated'])(
    'pages by %s joined are the whole',
    async (sortBy) => {
      const whole = await names({ sortBy, options: { limit: 100 } })
      const joined: string[] = []
      let token: string | undefined
      do {
        const { body } = await alice.get('/api/v3/users', {
          sortBy,
          options: token ? { token } : { limit: 2 },
        })
        joined.push(...body.users.map((user: { displayName: string }) => user.displayName))
        token = body.paging.next
      } while (token)
      expect(joined).toEqual(whole)
    },
  )

  it('by id keep the order asked, know both kinds of ids and leave the unknown out', async () => {
    const ids = ['bob', 'nobody', 'alice']
    const listed = await alice.get('/api/v3/users/list', { userIds: ids })
    expect(listed.body.users.map((user: { userId: string }) => user.userId)).toEqual(['bob', 'alice'])
    const internal = await alice.get('/api/v3/users/list', { userIds: [alice.id], type: 'internal' })
    expect(internal.body.users[0].userId).toBe('alice')
    expect((await alice.get(`/api/v3/users/${bob.id}`, { type: 'internal' })).body.users[0].userId).toBe(
      'bob',
    )
  })
})

describe('flags', () => {
  it('count each reporter once, also at the same moment, and can be taken back', async () => {
    const target = await server.as('flagged')
    const flag = () => alice.post('/api/v4/me/flags/flagged', { reason: 'Spam' })
    await Promise.all([flag(), flag(), bob.post('/api/v4/me/flags/flagged')])
    const user = await userOf('flagged')
    expect(user.flagCount).toBe(2)
    expect(mayHold(user.hashFlag, alice.id)).toBe(true)
    expect((await alice.get('/api/v3/users/flagged/isFlagByMe')).body.isFlagByMe).toBe(true)
    expect((await admin.get('/api/v3/users/flagged/isflagbyme')).body.isFlagByMe).toBe(false)
    const flagged = await admin.get('/api/v3/users', { filter: 'flagged' })
    expect(flagged.body.users.map((one: { userId: string }) => one.userId)).toEqual(['flagged'])
    const back = await alice.delete('/api/v4/me/flags/flagged')
    expect(back.body.users[0].flagCount).toBe(1)
    expect((await events('user.flagged')).filter((id) => id === target.id)).toHaveLength(2)
    expect(await events('user.unflagged')).toEqual([target.id])
    expect(await bob.delete('/api/v2/users/flagged/flags')).toMatchObject(denied)
    const cleared = await admin.delete('/api/v2/users/flagged/flags')
    expect(cleared.body).toMatchObject({ userId: 'flagged', flagCount: 0, hashFlag: null })
    expect(await events('user.flagCleared')).toEqual([target.id])
  })

  it('are not for oneself nor for nobody', async () => {
    expect((await alice.post('/api/v4/me/flags/alice')).status).toBe(400)
    expect(await alice.post('/api/v4/me/flags/nobody')).toMatchObject(missing)
  })
})
