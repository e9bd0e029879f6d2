import { createHmac } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { setClock } from '../../platform/clock.ts'
import { inTransaction } from '../../kernel/database.ts'
import { ensureUser, grantRole } from '../users/index.ts'
import { startTestServer, type TestServer } from '../../../test/harness/server.ts'
import { createClient } from '../../../test/harness/client.ts'

let open: TestServer
let secure: TestServer
beforeAll(async () => {
  ;[open, secure] = await Promise.all([
    startTestServer({ HUBBUB_VISITOR_DAILY_READS: '3' }),
    startTestServer({ HUBBUB_SECURE_MODE: 'true' }),
  ])
})
afterAll(() => Promise.all([open.close(), secure.close()]))
afterEach(() => setClock())

async function call(
  server: TestServer,
  method: string,
  path: string,
  { body, token, headers = {} }: { body?: unknown; token?: string; headers?: Record<string, string> } = {},
) {
  const response = await fetch(server.url + path, {
    method,
    headers: {
      'x-api-key': server.apiKey,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests read what the wire holds
  return { status: response.status, body: (text.startsWith('{') ? JSON.parse(text) : text) as any }
}
const guest = (server: TestServer, kind: string, body: Record<string, unknown>, headers = {}) =>
  call(server, 'POST', `/api/v5/sessions/${kind}`, { body, headers })

describe('guests', () => {
  it.each([
    ['visitor', 403999],
    ['bot', 403998],
  ])('a %s reads and never writes', async (kind, code) => {
    const { status, body } = await guest(open, kind, { deviceId: 'kiosk', sessionHandler: {} })
    expect(status).toBe(200)
    expect(body).toMatchObject({ userType: kind, users: [{ roles: [kind], path: expect.any(String) }] })
    const token = body.accessToken as string
    expect((await call(open, 'GET', `/api/v3/users/${body.users[0].userId}`, { token })).status).toBe(200)
    const post = { data: { text: 'hi' } }
    expect(await call(open, 'POST', '/api/v4/posts', { token, body: post })).toMatchObject({
      status: 403,
      body: { status: 'error', code },
    })
    expect(await call(open, 'GET', '/api/v3/users?keyword=kiosk', { token })).toMatchObject({
      status: 403,
      body: { code },
    })
    expect((await call(open, 'DELETE', '/api/v4/sessions', { token })).body).toEqual({ success: true })
  })

  it('are one user a device, apart from everybody else', async () => {
    const first = (await guest(open, 'visitor', { deviceId: 'tablet' })).body
    const again = (await guest(open, 'visitor', { deviceId: 'tablet' })).body
    const other = (await guest(open, 'visitor', { deviceId: 'desk' })).body
    expect(again.users[0]._id).toBe(first.users[0]._id)
    expect(other.users[0]._id).not.toBe(first.users[0]._id)
    const impostor = { userId: first.users[0].userId, deviceId: 'x' }
    expect(await call(open, 'POST', '/api/v5/sessions', { body: impostor })).toMatchObject({ status: 403 })
    const listed = await (await open.as('alice')).get('/api/v3/users', { options: { limit: 100 } })
    expect(listed.body.users.map((user: { userId: string }) => user.userId)).not.toContain(
      first.users[0].userId,
    )
  })

  it('read as much a day as the setting says, and again the next day', async () => {
    const token = (await guest(open, 'visitor', { deviceId: 'reader' })).body.accessToken as string
    const reads = async (n: number) => {
      const seen: number[] = []
      for (let i = 0; i < n; i++) seen.push((await call(open, 'GET', '/api/v3/sessions', { token })).status)
      return seen
    }
    expect(await reads(4)).toEqual([200, 200, 200, 403])
    expect((await call(open, 'GET', '/api/v3/sessions', { token })).body.code).toBe(400323)
    setClock(() => Date.now() + 86_400_000)
    expect(await reads(1)).toEqual([200])
  })
})

describe('secure mode', () => {
  const key = () => [...secure.app.network.serverKeys][0]!
  const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString()
  const sign = (deviceId: string, at: string, encoding: 'hex' | 'base64' = 'hex', withKey = key()) =>
    createHmac('sha256', withKey).update(`${deviceId}${at}`).digest(encoding)

  it('refuses a sign-in that nobody vouches for', async () => {
    const body = { userId: 'alice', deviceId: 'd' }
    expect(await call(secure, 'POST', '/api/v5/sessions', { body })).toMatchObject({
      status: 401,
      body: { code: 400100 },
    })
    const authToken = (
      await call(secure, 'POST', '/api/v4/authentication/token', {
        body: { userId: 'alice' },
        headers: { 'x-server-key': key() },
      })
    ).body as string
    const vouched = { body: { ...body, authToken } }
    expect((await call(secure, 'POST', '/api/v5/sessions', vouched)).status).toBe(200)
  })

  it.each([
    ['hex', true, () => ({ authSignature: sign('d', expiry), authSignatureExpiresAt: expiry })],
    ['base64', true, () => ({ authSignature: sign('d', expiry, 'base64'), authSignatureExpiresAt: expiry })],
    ['no signature', false, () => ({})],
    ['no expiry', false, () => ({ authSignature: sign('d', expiry) })],
    ['another device', false, () => ({ authSignature: sign('e', expiry), authSignatureExpiresAt: expiry })],
    [
      'another key',
      false,
      () => ({ authSignature: sign('d', expiry, 'hex', 'guess'), authSignatureExpiresAt: expiry }),
    ],
    ['an expired one', false, () => ({ authSignature: sign('d', past), authSignatureExpiresAt: past })],
    ['rubbish', false, () => ({ authSignature: 'rubbish', authSignatureExpiresAt: expiry })],
  ])('a visit signed with %s: %s', async (_name, allowed, signature) => {
    const { status, body } = await guest(secure, 'visitor', { deviceId: 'd', ...signature() })
    expect(status).toBe(allowed ? 200 : 401)
    if (!allowed) expect(body.code).toBe(400100)
  })
  const expiry = inAnHour()
  const past = new Date(Date.now() - 1000).toISOString()

  it('a signature that is sent must be right where none is needed', async () => {
    const wrong = { deviceId: 'd', authSignature: 'rubbish', authSignatureExpiresAt: expiry }
    expect((await guest(open, 'visitor', wrong)).status).toBe(401)
  })

  it('takes bots from the backend alone', async () => {
    expect((await guest(secure, 'bot', { deviceId: 'crawler' })).status).toBe(401)
    expect((await guest(secure, 'bot', { deviceId: 'crawler' }, { 'x-server-key': key() })).status).toBe(200)
  })
})

describe('holders of network roles', () => {
  it('need an auth token on a server that others can reach', async () => {
    const reachable = await startTestServer({ HOST: '0.0.0.0', PUBLIC_URL: 'http://127.0.0.1' })
    try {
      const { port } = new URL(await addressOf(reachable))
      const url = `http://127.0.0.1:${port}`
      const { db, network } = reachable.app
      await inTransaction(db, async (tx) =>
        grantRole(tx, await ensureUser(tx, { userId: 'mod' }), 'moderator'),
      )
      await expect(createClient(url, reachable.apiKey, 'admin')).rejects.toThrow('400100')
      await expect(createClient(url, reachable.apiKey, 'mod')).rejects.toThrow('400100')
      await expect(createClient(url, reachable.apiKey, 'alice')).resolves.toBeDefined()
      const made = await fetch(`${url}/api/v3/authentication/token?userId=admin`, {
        headers: { 'x-server-key': [...network.serverKeys][0]! },
      })
      const signedIn = await fetch(`${url}/api/v5/sessions`, {
        method: 'POST',
        headers: { 'x-api-key': reachable.apiKey, 'content-type': 'application/json' },
        body: JSON.stringify({ userId: 'admin', deviceId: 'd', authToken: await made.text() }),
      })
      expect(signedIn.status).toBe(200)
    } finally {
      await reachable.close()
    }
  })
})

async function addressOf({ app }: TestServer): Promise<string> {
  const address = app.http.server.address()
  return typeof address === 'object' && address ? `http://127.0.0.1:${address.port}` : ''
}
