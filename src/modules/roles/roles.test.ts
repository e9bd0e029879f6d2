import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { permissions } from '../../kernel/permissions.ts'
import type { TestClient } from '../../../test/harness/client.ts'
import { startTestServer, type TestServer } from '../../../test/harness/server.ts'

let server: TestServer
let admin: TestClient
let alice: TestClient
let lead: TestClient

beforeAll(async () => {
  server = await startTestServer()
  admin = await server.asAdmin()
  alice = await server.as('alice')
  lead = await server.as('lead')
  await admin.post('/api/v3/roles', {
    roleId: 'team-lead',
    permissions: ['ASSIGN_USER_ROLE', 'CREATE_ROLE', 'EDIT_ROLE', 'DELETE_ROLE', 'EDIT_USER', 'EDIT_CHANNEL'],
  })
  await admin.put('/api/v3/users', { userId: 'lead', roles: ['team-lead'] })
})
afterAll(() => server.close())

const denied = { status: 403, body: { status: 'error', code: 400301 } }

describe('roles', () => {
  it('are made, read, changed and deleted', async () => {
    const made = await admin.post('/api/v3/roles', {
      roleId: 'helper',
      displayName: 'Helper',
      permissions: ['EDIT_CHANNEL', 'EDIT_CHANNEL'],
    })
    expect(made.body).toMatchObject({
      status: 'success',
      data: [{ roleId: 'helper', displayName: 'Helper' }],
    })
    expect(made.body.data[0].permissions).toEqual(['EDIT_CHANNEL'])
    expect(await admin.post('/api/v3/roles', { roleId: 'helper', permissions: [] })).toMatchObject({
      status: 409,
      body: { code: 400315 },
    })
    const one = await alice.get('/api/v3/roles/helper')
    expect(one.body).toEqual(made.body.data)
    await admin.put('/api/v3/users', { userId: 'alice', roles: ['helper'] })
    const held = async () => (await lead.get('/api/v3/users/alice')).body.users[0].permissions
    expect(await held()).toEqual(['EDIT_CHANNEL'])
    await admin.put('/api/v3/roles/helper', { roleId: 'helper', permissions: ['EDIT_MESSAGE'] })
    expect(await held()).toEqual(['EDIT_MESSAGE'])
    await admin.put('/api/v2/roles', { publicIds: ['helper'], permissions: ['DELETE_MESSAGE'] })
    expect(await held()).toEqual(['DELETE_MESSAGE'])
    expect((await admin.delete('/api/v3/roles/helper')).body.data[0].isDeleted).toBe(true)
    expect(await held()).toEqual([])
    expect((await alice.get('/api/v3/roles/helper')).status).toBe(404)
    expect((await admin.delete('/api/v3/roles/helper')).status).toBe(404)
  })

  it('are listed in pages that joined are the whole', async () => {
    const all = (await alice.get('/api/v2/roles')).body.data.roles.map(
      (role: { roleId: string }) => role.roleId,
    )
    for (const sortBy of ['displayName', 'firstCreated', 'lastCreated']) {
      const joined: string[] = []
      let token: string | undefined
      do {
        const { body } = await alice.get('/api/v3/roles', {
          sortBy,
          keyword: '',
          options: token ? { token } : { limit: 3 },
        })
        joined.push(...body.roles.map((role: { roleId: string }) => role.roleId))
        token = body.paging.next
      } while (token)
      expect([...joined].sort()).toEqual([...all].sort())
    }
    const found = await alice.get('/api/v3/roles', { keyword: 'MODERATOR' })
    expect(found.body.roles).toHaveLength(4)
  })

  it('that are built in do not change', async () => {
    for (const run of [
      () => admin.put('/api/v3/roles/moderator', { roleId: 'moderator', permissions: [] }),
      () => admin.delete('/api/v3/roles/global-admin'),
    ])
      expect(await run()).toMatchObject({ status: 403, body: { code: 400300 } })
  })

  it.each([
    ['an unknown permission', { roleId: 'x', permissions: ['FLY'] }],
    ['a name of 101', { roleId: 'x'.repeat(101), permissions: [] }],
    ['no permissions', { roleId: 'x' }],
  ])('are refused with %s', async (_what, body) =>
    expect((await admin.post('/api/v3/roles', body)).status).toBe(422),
  )
})

describe('nobody grants what they lack', () => {
  it('in making or changing a role', async () => {
    expect(await alice.post('/api/v3/roles', { roleId: 'mine', permissions: [] })).toMatchObject(denied)
    expect(await lead.post('/api/v3/roles', { roleId: 'strong', permissions: ['BAN_USER'] })).toMatchObject(
      denied,
    )
    const weak = await lead.post('/api/v3/roles', { roleId: 'weak', permissions: ['EDIT_CHANNEL'] })
    expect(weak.status).toBe(200)
    const stronger = { roleId: 'weak', permissions: ['EDIT_CHANNEL', 'BAN_USER'] }
    expect(await lead.put('/api/v3/roles/weak', stronger)).toMatchObject(denied)
    await admin.post('/api/v3/roles', { roleId: 'bans', permissions: ['BAN_USER'] })
    expect(await lead.put('/api/v3/roles/bans', { roleId: 'bans', permissions: [] })).toMatchObject(denied)
    expect(await lead.delete('/api/v3/roles/bans')).toMatchObject(denied)
  })

  it('in giving or taking a role', async () => {
    await server.as('carol')
    const give = (by: TestClient, roles: string[]) => by.put('/api/v3/users', { userId: 'carol', roles })
    expect(await give(lead, ['global-admin'])).toMatchObject(denied)
    expect(await give(lead, ['moderator'])).toMatchObject(denied)
    expect((await give(lead, ['team-lead'])).status).toBe(200)
    expect(await give(lead, ['no-such-role'])).toMatchObject({ status: 404 })
    expect((await give(admin, ['moderator', 'moderator'])).body.users[0].roles).toEqual(['moderator'])
    expect(await give(lead, [])).toMatchObject(denied)
    expect(
      (
        await give(
          admin,
          Array.from({ length: 11 }, () => 'member'),
        )
      ).status,
    ).toBe(422)
  })

  it('takes effect on the next request of the holder', async () => {
    const dan = await server.as('dan')
    expect(await dan.post('/api/v3/roles', { roleId: 'dans', permissions: [] })).toMatchObject(denied)
    await admin.put('/api/v3/users', { userId: 'dan', roles: ['global-admin'] })
    expect((await dan.post('/api/v3/roles', { roleId: 'dans', permissions: [...permissions] })).status).toBe(
      200,
    )
    await admin.put('/api/v3/users', { userId: 'dan', roles: [] })
    expect(await dan.post('/api/v3/roles', { roleId: 'dans2', permissions: [] })).toMatchObject(denied)
  })
})
