import { setTimeout as wait } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { createLog } from '../log.ts'
import { createRateCounters, type RatePolicy } from './rate-limit.ts'
import { createHttpServer, type HttpServer } from './server.ts'

let server: HttpServer | undefined
afterEach(() => server?.close())

/** Asks a server that counts by a policy: how long to wait (null: let in), and the answer's headers. */
async function serverWith(policy: Partial<RatePolicy>, trustedProxies = 0) {
  const http = await createHttpServer({
    log: createLog('silent', false),
    bodyLimit: 1024,
    trustedProxies,
    corsOrigin: true,
    toErrorReply: () => ({ status: 500, body: {}, retryAfter: null }),
  })
  server = http
  const counters = await createRateCounters(http)
  const count = counters({ name: 'test', limit: 2, windowMs: 60_000, ...policy })
  http.get('/', async (request, reply) => ({ wait: await count(request, reply) }))
  return async (headers: Record<string, string> = {}, remoteAddress = '192.0.2.1') => {
    const answer = await http.inject({ url: '/', headers, remoteAddress })
    expect(answer.statusCode).toBe(200)
    return { wait: answer.json<{ wait: number | null }>().wait, headers: answer.headers }
  }
}

describe('rate counters', () => {
  it('count down in the headers, then say how long to wait', async () => {
    const ask = await serverWith({})
    expect((await ask()).headers).toMatchObject({
      'ratelimit-policy': '"test";q=2;w=60',
      ratelimit: '"test";r=1;t=60',
      'ratelimit-limit': '2',
      'ratelimit-remaining': '1',
      'ratelimit-reset': '60',
    })
    expect(await ask()).toMatchObject({ wait: null, headers: { 'ratelimit-remaining': '0' } })
    const refused = await ask()
    expect(refused.wait).toBeGreaterThan(59_000)
    expect(refused.headers).toMatchObject({ 'ratelimit-remaining': '0' })
  })

  it('begin anew with the next window, however many came too many', async () => {
    const ask = await serverWith({ windowMs: 300 })
    for (let i = 0; i < 10; i++) await ask()
    const { wait: pause } = await ask()
    expect(pause).toBeLessThanOrEqual(300)
    await wait(pause! + 5)
    expect(await ask()).toMatchObject({ wait: null, headers: { 'ratelimit-remaining': '1' } })
  })

  it('count each key for itself, and exempt requests not at all', async () => {
    const ask = await serverWith({
      limit: 1,
      keyOf: ({ headers }) => String(headers['x-key']),
      isExempt: ({ headers }) => headers['x-key'] === 'free',
    })
    const waits = async (key: string) => [
      (await ask({ 'x-key': key })).wait,
      (await ask({ 'x-key': key })).wait,
    ]
    expect(await waits('a')).toEqual([null, expect.any(Number)])
    expect(await waits('b')).toEqual([null, expect.any(Number)])
    expect(await waits('free')).toEqual([null, null])
    expect((await ask({ 'x-key': 'free' })).headers).not.toHaveProperty('ratelimit')
  })

  it('take the addresses of one IPv6 network for one client', async () => {
    const ask = await serverWith({ limit: 1 })
    expect((await ask({}, '2001:db8:0:1::1')).wait).toBeNull()
    expect((await ask({}, '2001:db8:0:1:ffff::2')).wait).toEqual(expect.any(Number))
    expect((await ask({}, '2001:db8:0:2::1')).wait).toBeNull()
  })

  // What a client writes into X-Forwarded-For itself stands left of what the proxies add.
  it.each([
    [0, '203.0.113.9', '203.0.113.8', false],
    [1, '203.0.113.9', '203.0.113.8', true],
    [1, 'forged, 203.0.113.9', 'another, 203.0.113.9', false],
    [2, '203.0.113.9, 198.51.100.1', '203.0.113.8, 198.51.100.1', true],
    [2, '10.0.0.1, 203.0.113.9, 198.51.100.1', '10.0.0.2, 203.0.113.9, 198.51.100.1', false],
  ])('behind %i proxies tell %s and %s apart: %s', async (proxies, one, other, areTwo) => {
    const ask = await serverWith({ limit: 1 }, proxies)
    expect((await ask({ 'x-forwarded-for': one })).wait).toBeNull()
    expect((await ask({ 'x-forwarded-for': other })).wait === null).toBe(areTwo)
  })
})
