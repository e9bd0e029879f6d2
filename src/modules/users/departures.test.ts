import mqtt from 'mqtt'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../../../test/harness/eventually.ts'
import { createClient, type TestClient } from '../../../test/harness/client.ts'
import { startTestServer, type TestServer } from '../../../test/harness/server.ts'

let server: TestServer
let admin: TestClient
let watcher: TestClient

beforeAll(async () => {
  server = await startTestServer()
  admin = await server.asAdmin()
  watcher = await server.as('watcher')
})
afterAll(() => server.close())

const denied = { status: 403, body: { code: 400301 } }

/** Somebody's connection: what came in on their own topic, and whether it was cut. */
async function listen(user: TestClient) {
  const client = mqtt.connect(server.mqttUrl, {
    username: user.id,
    password: user.accessToken,
    reconnectPeriod: 0,
  })
  const seen = { events: [] as string[], closed: false }
  client.on('message', (_topic, payload) =>
    seen.events.push((JSON.parse(payload.toString()) as { eventType: string }).eventType),
  )
  client.on('close', () => (seen.closed = true))
  client.on('error', () => undefined)
  await new Promise((resolve) => client.once('connect', resolve))
  await client.subscribeAsync(`hubbub/user/${user.id}`)
  return seen
}

async function say(user: TestClient, channelId: string): Promise<string> {
  await user.post(`/api/v3/channels/${channelId}/join`)
  const { body } = await user.post('/api/v3/messages', { channelId, type: 'text', data: { text: 'hi' } })
  return body.messages[0].messageId
}

describe('a ban from the network', () => {
  it('takes effect at once, tells the banned, cuts them, and ends', async () => {
    const target = await server.as('target')
    const seen = await listen(target)
    await watcher.post('/api/v3/channels', { type: 'community', channelId: 'room', displayName: 'Room' })
    const messageId = await say(target, 'room')
    expect(await watcher.post('/api/v2/users/ban', { userId: 'target' })).toMatchObject(denied)
    const banned = await admin.post('/api/v2/users/ban', { userId: 'target' })
    expect(banned.body.users[0]).toMatchObject({ userId: 'target', isGlobalBan: true })
    expect((await target.get('/api/v3/sessions')).status).toBeGreaterThanOrEqual(401)
    await expect(createClient(server.url, server.apiKey, 'target')).rejects.toThrow('400312')
    await eventually(() => seen.closed)
    expect(seen.events).toContain('user.didGlobalBan')
    const message = await watcher.get('/api/v5/messages/' + messageId)
    expect(message.body.messages?.[0]?.isDeleted ?? true).toBe(true)
    expect((await admin.post('/api/v2/users/ban', { userId: 'target' })).status).toBe(200)

    await admin.post('/api/v2/users/unban', { userId: 'target' })
    expect((await target.get('/api/v3/sessions')).status).toBe(401)
    const again = await createClient(server.url, server.apiKey, 'target')
    expect((await again.get('/api/v3/sessions')).status).toBe(200)
  })

  it('does not reach oneself, other admins, or nobody', async () => {
    expect(await admin.post('/api/v2/users/ban', { userId: 'admin' })).toMatchObject({
      status: 403,
      body: { code: 400306 },
    })
    await server.as('keeper')
    await admin.put('/api/v3/users', { userId: 'keeper', roles: ['super-moderator'] })
    expect(await admin.post('/api/v2/users/ban', { userId: 'keeper' })).toMatchObject({
      body: { code: 400306 },
    })
    expect((await admin.post('/api/v2/users/ban', { userId: 'nobody' })).status).toBe(404)
  })
})

describe('deleting a user', () => {
  it('leaves a row that says nothing of them, ends their sessions, and cannot be repeated', async () => {
    const leaver = await server.as('leaver')
    await leaver.put('/api/v3/users', { profileHandle: 'gone', description: 'me', metadata: { a: 1 } })
    const seen = await listen(leaver)
    expect(await watcher.delete('/api/v4/users/leaver')).toMatchObject(denied)
    expect((await leaver.delete('/api/v4/users/leaver')).body).toEqual({ success: true })
    const { body } = await watcher.get('/api/v3/users/leaver')
    expect(body.users[0]).toMatchObject({
      userId: 'leaver',
      displayName: 'Deleted user',
      profileHandle: null,
      description: '',
      metadata: {},
      isDeleted: true,
      deletedAt: expect.any(String),
    })
    expect((await leaver.get('/api/v3/sessions')).status).toBe(401)
    await eventually(() => seen.closed)
    expect(seen.events).toContain('user.deleted')
    await expect(createClient(server.url, server.apiKey, 'leaver')).rejects.toThrow('403')
    expect(await admin.delete('/api/v4/users/leaver')).toMatchObject({ status: 400, body: { code: 400000 } })
    expect((await admin.delete('/api/v4/users/nobody')).status).toBe(404)
    const listed = await watcher.get('/api/v3/users', { keyword: 'leaver' })
    expect(listed.body.users).toEqual([])
    expect((await watcher.put('/api/v3/users', { profileHandle: 'gone' })).status).toBe(200)
  })

  it.each([
    ['', false],
    ['?markMessageDeleted=true', true],
    ['?deleteAll=true', true],
  ])('with %j messages deleted: %s', async (query, deleted) => {
    const name = `writer${query.length}`
    const writer = await server.as(name)
    const channelId = `c${query.length}`
    await watcher.post('/api/v3/channels', { type: 'community', channelId, displayName: 'C' })
    const messageId = await say(writer, channelId)
    expect((await admin.delete(`/api/v4/users/${name}${query}`)).status).toBe(200)
    const { body } = await watcher.get(`/api/v5/messages/${messageId}`)
    expect(body.messages?.[0]?.isDeleted ?? true).toBe(deleted)
  })
})
