import mqtt from 'mqtt'
import { createLocalJWKSet, decodeJwt, jwtVerify } from 'jose'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { setClock } from '../../platform/clock.ts'
import { inTransaction } from '../../kernel/database.ts'
import { addSigningKey, retireOldSigningKeys } from '../network/index.ts'
import { eventually } from '../../../test/harness/eventually.ts'
import { startTestServer, type TestServer } from '../../../test/harness/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())
afterEach(() => setClock())

const day = 86_400_000

/** A request with any headers. Without a key header of its own, the network's API key is sent. */
async function send(
  method: string,
  path: string,
  { headers = {}, body }: { headers?: Record<string, string>; body?: unknown } = {},
) {
  const response = await fetch(server.url + path, {
    method,
    headers: {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      'x-api-key': server.apiKey,
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return {
    status: response.status,
    // eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests read what the wire holds
    body: (text.startsWith('{') ? JSON.parse(text) : text) as any,
  }
}
const signIn = (body: Record<string, unknown>, version = 'v5') =>
  send('POST', `/api/${version}/sessions`, { body })
const browser = (length: number) => ({ kind: 'web', model: 'gecko#Mozilla/5.0 '.padEnd(length, 'x') })
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
const check = async (token: string) =>
  (await send('GET', '/api/v3/sessions', { headers: bearer(token) })).status
const unauthorized = { status: 401, body: { status: 'error', code: 400100 } }

describe('signing in', () => {
  it.each(['v3', 'v4', 'v5'])('%s makes the user and answers what the clients read', async (version) => {
    const userId = `new-${version}`
    const { status, body } = await signIn(
      { userId, displayName: 'New', deviceId: `d-${version}`, deviceInfo: { kind: 'web', model: 'x' } },
      version,
    )
    expect(status).toBe(200)
    expect(body).toMatchObject({ userType: 'signed-in', files: [], refreshToken: expect.any(String) })
    expect(body.users).toHaveLength(1)
    expect(body.users[0]).toMatchObject({
      userId,
      displayName: 'New',
      path: `hubbub/user/${body.users[0]._id}`,
      isDeleted: false,
      isGlobalBan: false,
    })
    const claims = decodeJwt(body.accessToken)
    expect(claims).toMatchObject({
      sub: body.users[0]._id,
      user: { userId: body.users[0]._id, publicUserId: userId },
    })
    expect(new Date(body.expiresAt).getTime() - new Date(body.issuedAt).getTime()).toBe(30 * day)
    expect(await check(body.accessToken)).toBe(200)
  })

  it('takes a changed display name over and leaves it when none is sent', async () => {
    await signIn({ userId: 'renamed', displayName: 'One', deviceId: 'r1' })
    await signIn({ userId: 'renamed', displayName: 'Two', deviceId: 'r2' })
    const { body } = await signIn({ userId: 'renamed', deviceId: 'r3' })
    expect(body.users[0].displayName).toBe('Two')
  })

  it.each([
    ['missing', { 'x-api-key': '' }],
    ['wrong', { 'x-api-key': 'nope' }],
  ])('refuses a %s API key', async (_name, headers) => {
    const body = { userId: 'nobody', deviceId: 'd' }
    expect(await send('POST', '/api/v5/sessions', { headers, body })).toMatchObject(unauthorized)
    expect((await (await server.asAdmin()).get('/api/v3/users/nobody')).status).toBe(404)
  })

  it.each([
    ['no user id', { deviceId: 'd' }, 422],
    ['an empty user id', { userId: '', deviceId: 'd' }, 422],
    ['a user id of 50', { userId: 'u'.repeat(50), deviceId: 'd' }, 200],
    ['a user id of 51', { userId: 'u'.repeat(51), deviceId: 'd' }, 422],
    ['a name of 100', { userId: 'limits', deviceId: 'd', displayName: 'n'.repeat(100) }, 200],
    ['a name of 101', { userId: 'limits', deviceId: 'd', displayName: 'n'.repeat(101) }, 422],
    ['no device', { userId: 'limits' }, 422],
    ['a device id of 150', { userId: 'limits', deviceId: 'd'.repeat(150) }, 200],
    ['a device id of 151', { userId: 'limits', deviceId: 'd'.repeat(151) }, 422],
    ['the user agent of a browser', { userId: 'limits', deviceId: 'd', deviceInfo: browser(1000) }, 200],
    ['a model of 1001', { userId: 'limits', deviceId: 'd', deviceInfo: browser(1001) }, 422],
    ['an unknown kind of device', { userId: 'limits', deviceId: 'd', deviceInfo: { kind: 'fridge' } }, 422],
  ])('answers %s with its status', async (_name, body, status) => {
    expect((await signIn(body)).status).toBe(status)
  })

  it('ends the session that was on the device, whoever had it', async () => {
    const first = await signIn({ userId: 'ann', deviceId: 'shared' })
    const other = await signIn({ userId: 'ann', deviceId: 'elsewhere' })
    const second = await signIn({ userId: 'ben', deviceId: 'shared' })
    expect(await check(first.body.accessToken)).toBe(401)
    expect(await check(other.body.accessToken)).toBe(200)
    expect(await check(second.body.accessToken)).toBe(200)
  })

  it('leaves one session on a device, however many sign in at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => signIn({ userId: 'racer', deviceId: 'track' })),
    )
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200))
    const checks = await Promise.all(answers.map(({ body }) => check(body.accessToken)))
    expect(checks.filter((status) => status === 200)).toHaveLength(1)
  })

  it('lets a replaced token of the same device open a connection, though no request', async () => {
    const old = (await signIn({ userId: 'mover', deviceId: 'phone' })).body
    const connects = async (token: string) => {
      const client = mqtt.connect(server.mqttUrl, {
        username: old.users[0]._id,
        password: token,
        reconnectPeriod: 0,
      })
      const result = await new Promise<boolean>((resolve) => {
        client.once('connect', () => resolve(true))
        client.once('error', () => resolve(false))
      })
      client.end(true)
      return result
    }
    const renewed = (await signIn({ userId: 'mover', deviceId: 'phone' })).body
    expect(await check(old.accessToken)).toBe(401)
    expect(await connects(old.accessToken)).toBe(true)
    await send('DELETE', '/api/v4/sessions', { headers: bearer(renewed.accessToken) })
    expect(await connects(old.accessToken)).toBe(false)
  })

  it('refuses tokens past their time', async () => {
    const { body } = await signIn({ userId: 'late', deviceId: 'late' })
    expect(await check(body.accessToken)).toBe(200)
    setClock(() => Date.now() + 31 * day)
    expect(await send('GET', '/api/v3/sessions', { headers: bearer(body.accessToken) })).toMatchObject(
      unauthorized,
    )
  })

  it.each([
    ['nothing', {}],
    ['another scheme', { authorization: 'Basic YTpi' }],
    ['no token', { authorization: 'Bearer ' }],
    ['rubbish', { authorization: 'Bearer rubbish' }],
    ['an unsigned token', { authorization: 'Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJhIn0.' }],
  ])('refuses %s in place of a token', async (_name, headers) => {
    expect(await send('GET', '/api/v3/sessions', { headers })).toMatchObject(unauthorized)
  })
})

describe('renewing', () => {
  it('gives a new pair once; the old token and the old refresh token are used up', async () => {
    const { body: old } = await signIn({ userId: 'renew', deviceId: 'renew' })
    const refresh = (refreshToken: string) =>
      send('POST', '/api/v4/sessions/refresh', { body: { refreshToken } })
    const answers = await Promise.all([refresh(old.refreshToken), refresh(old.refreshToken)])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401])
    const fresh = answers.find(({ status }) => status === 200)!.body
    expect(fresh.users[0].userId).toBe('renew')
    expect(await check(fresh.accessToken)).toBe(200)
    expect(await check(old.accessToken)).toBe(401)
    expect((await refresh('unknown')).status).toBe(401)
  })
})

describe('signing out', () => {
  it('ends the session of the request alone', async () => {
    const here = (await signIn({ userId: 'leaver', deviceId: 'here' })).body.accessToken
    const there = (await signIn({ userId: 'leaver', deviceId: 'there' })).body.accessToken
    expect(await send('DELETE', '/api/v4/sessions', { headers: bearer(here) })).toEqual({
      status: 200,
      body: { success: true },
    })
    expect(await check(here)).toBe(401)
    expect(await check(there)).toBe(200)
  })

  it("ends all of a user's sessions for that user and for moderators, nobody else", async () => {
    const tokens = await Promise.all(
      ['a', 'b'].map(
        async (device) => (await signIn({ userId: 'many', deviceId: device })).body.accessToken as string,
      ),
    )
    const stranger = await server.as('stranger')
    const admin = await server.asAdmin()
    expect(await stranger.delete('/api/v4/sessions/users/many')).toMatchObject({
      status: 403,
      body: { code: 400301 },
    })
    expect(await stranger.delete('/api/v4/sessions?userId=many')).toMatchObject({ status: 403 })
    expect(await check(tokens[0]!)).toBe(200)
    expect(await admin.delete('/api/v4/sessions/users/nobody-there')).toMatchObject({
      status: 404,
      body: { code: 400400 },
    })
    expect((await admin.delete('/api/v4/sessions/users/many')).body).toEqual({ success: true })
    expect(await Promise.all(tokens.map(check))).toEqual([401, 401])
    const again = (await signIn({ userId: 'many', deviceId: 'a' })).body
    const ended = await admin.delete(`/api/v4/sessions?userId=${again.users[0]._id}&isPublic=false`)
    expect(ended.body).toEqual({ success: true })
    expect(await check(again.accessToken)).toBe(401)
  })
})

describe('auth tokens', () => {
  const serverKey = () => [...server.app.network.serverKeys][0]!

  it.each([
    ['POST', '/api/v4/authentication/token', { userId: 'vouched' }],
    ['GET', '/api/v3/authentication/token?userId=vouched', undefined],
  ])('%s %s answers one as plain text to who holds a server key', async (method, path, body) => {
    const refused = await send(method, path, { body, headers: { 'x-server-key': 'wrong' } })
    expect(refused).toMatchObject({ status: 403, body: { code: 400300 } })
    const made = await send(method, path, { body, headers: { 'x-server-key': serverKey() } })
    expect(made.status).toBe(200)
    const use = (authToken: unknown, userId = 'vouched') => signIn({ userId, deviceId: 'v', authToken })
    expect((await use(made.body)).status).toBe(200)
    expect(await use(made.body, 'somebody-else')).toMatchObject(unauthorized)
    expect(await check(made.body as string)).toBe(401)
    setClock(() => Date.now() + 11 * 60_000)
    expect(await use(made.body)).toMatchObject(unauthorized)
  })

  it('an access token does not vouch', async () => {
    const { accessToken } = (await signIn({ userId: 'self', deviceId: 's' })).body
    expect(await signIn({ userId: 'self', deviceId: 's', authToken: accessToken })).toMatchObject(
      unauthorized,
    )
  })
})

describe('signing keys', () => {
  const jwks = async () => (await send('GET', '/.well-known/jwks.json')).body

  it('are published, and verify access tokens with a library of others', async () => {
    const { accessToken } = (await signIn({ userId: 'jwks', deviceId: 'jwks' })).body
    const published = await jwks()
    expect(JSON.stringify(published)).not.toContain('"d"')
    const { payload } = await jwtVerify(accessToken, createLocalJWKSet(published), {
      audience: 'access',
      algorithms: ['ES256'],
    })
    expect(payload.user).toMatchObject({ publicUserId: 'jwks' })
  })

  it('rotate under a running server; retired ones end their tokens', async () => {
    const { db } = server.app
    const old = (await signIn({ userId: 'rotor', deviceId: 'r1' })).body.accessToken
    const keyId = await inTransaction(db, addSigningKey)
    await eventually(async () => (await jwks()).keys[0].kid === keyId)
    const fresh = (await signIn({ userId: 'rotor', deviceId: 'r2' })).body.accessToken
    expect(await check(old)).toBe(200)
    expect(await check(fresh)).toBe(200)
    expect(await inTransaction(db, retireOldSigningKeys)).toBe(1)
    expect(await check(old)).toBe(401)
    expect(await check(fresh)).toBe(200)
    expect((await jwks()).keys).toHaveLength(1)
  })
})
