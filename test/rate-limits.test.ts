import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createSeedClient } from '../src/commands/seed/client.ts'
import { createClient, type TestClient } from './harness/client.ts'
import { startTestServer, type TestServer } from './harness/server.ts'

// Windows outlast the tests, and each test has users or addresses of its own.
const limit = 5
let server: TestServer
let open: TestServer
beforeAll(async () => {
  ;[server, open] = await Promise.all([
    startTestServer({
      HUBBUB_RATE_LIMIT: String(limit),
      HUBBUB_RATE_LIMIT_ADDRESS: String(limit),
      HUBBUB_RATE_LIMIT_SECONDS: '600',
      HUBBUB_TRUST_PROXY: 'true',
      HUBBUB_VISITOR_DAILY_READS: String(limit),
    }),
    startTestServer(),
  ])
})
afterAll(() => Promise.all([server.close(), open.close()]))

const me = '/api/v3/users/alice'
const backend = () => ({ 'x-server-key': [...server.app.network.serverKeys][0]! })

let addresses = 0
/** An address nobody has asked from. */
const somewhere = () => ({ 'x-forwarded-for': `203.0.113.${++addresses}` })

function ask(method: string, path: string, headers: Record<string, string>, body?: unknown) {
  return fetch(server.url + path, {
    method,
    headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
}
const signIn = (userId: string, headers: Record<string, string>, deviceId = userId) =>
  ask('POST', '/api/v5/sessions', { 'x-api-key': server.apiKey, ...headers }, { userId, deviceId })

/** Signed in from an address of its own. */
async function bearer(userId: string, deviceId?: string): Promise<Record<string, string>> {
  const { accessToken } = (await (await signIn(userId, somewhere(), deviceId)).json()) as {
    accessToken: string
  }
  return { authorization: `Bearer ${accessToken}` }
}

async function statuses(times: number, one: (i: number) => Promise<Response>): Promise<number[]> {
  const seen: number[] = []
  for (let i = 0; i < times; i++) {
    const response = await one(i)
    await response.arrayBuffer()
    seen.push(response.status)
  }
  return seen
}

describe('requests of a user', () => {
  it('are refused above the limit, in the envelope of errors and with when to come back', async () => {
    const alice = await bearer('alice')
    const first = await ask('GET', me, alice)
    expect(Object.fromEntries(first.headers)).toMatchObject({
      'ratelimit-policy': '"user";q=5;w=600',
      ratelimit: '"user";r=4;t=600',
      'ratelimit-limit': '5',
      'ratelimit-remaining': '4',
      'ratelimit-reset': '600',
    })
    expect(await statuses(limit - 1, () => ask('GET', me, alice))).toEqual(Array(limit - 1).fill(200))
    const refused = await ask('GET', me, alice)
    expect([refused.status, await refused.json()]).toEqual([
      429,
      { status: 'error', code: 400311, message: 'Too many requests.' },
    ])
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(590)
    expect(refused.headers.get('ratelimit-remaining')).toBe('0')
    expect(refused.headers.get('access-control-expose-headers')).toContain('ratelimit')
  })

  it('count together on all devices and for all operations, and not with those of others', async () => {
    const [phone, desk, other] = [await bearer('bob', 'phone'), await bearer('bob'), await bearer('carol')]
    const body = { data: { text: 'hi' }, targetType: 'user', targetId: 'bob' }
    expect(await statuses(limit - 1, () => ask('POST', '/api/v4/posts', desk, body))).toEqual(
      Array(limit - 1).fill(200),
    )
    expect(await statuses(2, () => ask('GET', me, phone))).toEqual([200, 429])
    expect((await ask('GET', me, desk)).status).toBe(429)
    expect((await ask('GET', me, other)).status).toBe(200)
  })

  it('change nothing when refused', async () => {
    const dave = await bearer('dave')
    await statuses(limit, () => ask('GET', me, dave))
    const body = { channelId: 'never', displayName: 'Never', type: 'community' }
    expect((await ask('POST', '/api/v3/channels', dave, body)).status).toBe(429)
    const admin = await bearer('admin')
    expect((await ask('GET', '/api/v3/channels/never', admin)).status).toBe(404)
  })

  it('do not count for those who administer the network', async () => {
    const admin = await bearer('admin')
    expect(await statuses(3 * limit, () => ask('GET', me, admin))).toEqual(Array(3 * limit).fill(200))
  })

  it('of a visitor that are refused cost nothing of the daily quota', async () => {
    const body = { deviceId: 'kiosk' }
    const visit = await ask(
      'POST',
      '/api/v5/sessions/visitor',
      { 'x-api-key': server.apiKey, ...somewhere() },
      body,
    )
    const { accessToken } = (await visit.json()) as { accessToken: string }
    const visitor = { authorization: `Bearer ${accessToken}` }
    expect(await statuses(limit + 3, () => ask('GET', me, visitor))).toEqual([
      ...Array<number>(limit).fill(200),
      429,
      429,
      429,
    ])
    const { rows } = await sql`select reads from visitor_reads`.execute(server.app.db)
    expect(rows).toEqual([{ reads: limit }])
  })

  it('are not what downloads, event streams and health are', async () => {
    const erin = await bearer('erin')
    const form = new FormData()
    form.append('files', new Blob(['hello'], { type: 'text/plain' }), 'a.txt')
    const upload = await fetch(`${server.url}/api/v4/files`, { method: 'POST', headers: erin, body: form })
    const [{ fileId }] = (await upload.json()) as [{ fileId: string }]
    await statuses(limit, () => ask('GET', me, erin))
    expect((await ask('GET', me, erin)).status).toBe(429)
    const downloads = await statuses(3 * limit, () => ask('GET', `/api/v3/files/${fileId}/download`, erin))
    expect(downloads).toEqual(Array(3 * limit).fill(200))
    expect(await statuses(3 * limit, () => ask('GET', '/healthz', {}))).toEqual(Array(3 * limit).fill(200))
    const ended = new AbortController()
    const stream = await fetch(`${server.url}/realtime`, { headers: erin, signal: ended.signal })
    expect(stream.status).toBe(200)
    ended.abort()
  })
})

describe('requests without a user', () => {
  it('are counted for the address: sign-ins, refused tokens and keys, unknown paths', async () => {
    const here = somewhere()
    const mixed = [
      () => signIn('frank', here),
      () => ask('GET', me, { ...here, authorization: 'Bearer nonsense' }),
      () => ask('GET', '/api/v3/no-such-thing', here),
      () => signIn('frank', { ...here, 'x-api-key': 'wrong-key' }),
      () =>
        ask(
          'POST',
          '/api/v4/authentication/token',
          { ...here, 'x-server-key': 'wrong' },
          { userId: 'frank' },
        ),
    ]
    expect(await statuses(limit, (i) => mixed[i]!())).toEqual([200, 401, 404, 401, 403])
    expect(await statuses(limit, (i) => mixed[i]!())).toEqual(Array(limit).fill(429))
    const refused = await signIn('frank', here)
    expect(((await refused.json()) as { code: number }).code).toBe(400311)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(590)
    expect(refused.headers.get('ratelimit-policy')).toBe('"address";q=5;w=600')
  })

  it('keep nobody else out: other addresses, and who is signed in at the same one', async () => {
    const here = somewhere()
    const gina = await bearer('gina')
    await statuses(limit + 1, () => ask('GET', '/nowhere', here))
    expect((await ask('GET', '/nowhere', here)).status).toBe(429)
    expect((await ask('GET', me, { ...gina, ...here })).status).toBe(200)
    expect((await signIn('gina', somewhere())).status).toBe(200)
  })

  it("are free for the app's backend, which signs everybody in from one address", async () => {
    const here = somewhere()
    const tokens = await statuses(3 * limit, (i) =>
      ask('POST', '/api/v4/authentication/token', { ...here, ...backend() }, { userId: `user-${i}` }),
    )
    expect(tokens).toEqual(Array(3 * limit).fill(200))
    const bots = await statuses(3 * limit, (i) =>
      ask(
        'POST',
        '/api/v5/sessions/bot',
        { 'x-api-key': server.apiKey, ...here, ...backend() },
        { deviceId: `crawler-${i}` },
      ),
    )
    expect(bots).toEqual(Array(3 * limit).fill(200))
  })
})

it('the seed goes no faster than it may', async () => {
  const brief = await startTestServer({ HUBBUB_RATE_LIMIT: '2', HUBBUB_RATE_LIMIT_SECONDS: '1' })
  try {
    const [serverKey = ''] = brief.app.network.serverKeys
    const person = await createSeedClient(brief.url, { apiKey: brief.apiKey, serverKey }).signIn(
      'mira',
      'Mira',
    )
    const body = { targetType: 'user', targetId: 'mira', data: { text: 'hi' } }
    const posts = await Promise.all(Array.from({ length: 3 }, () => person.post('/api/v4/posts', body)))
    expect(posts.map((answer) => answer.posts?.length)).toEqual([1, 1, 1])
  } finally {
    await brief.close()
  }
})

it('nothing is counted out of the box', async () => {
  const clients = await Promise.all(
    Array.from({ length: 20 }, (_, i) => createClient(open.url, open.apiKey, `user-${i}`)),
  )
  const answers = await Promise.all(
    Array.from({ length: 150 }, () => (clients[0] as TestClient).get('/api/v3/users/user-1')),
  )
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
  expect(answers[0]!.headers.has('ratelimit')).toBe(false)
})
