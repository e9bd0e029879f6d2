import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { DB } from '../db/tables.ts'
import { createTestDatabase, type TestDatabase } from '../test/harness/database.ts'
import { readConfig } from './config.ts'
import { openHttp } from './http.ts'
import type { Db } from './kernel/database.ts'
import { openDatabase } from './platform/database/database.ts'
import type { HttpServer } from './platform/http/server.ts'
import { createLog } from './platform/log.ts'

let database: TestDatabase
let wire: Wire
let db: Db
let http: HttpServer
let url: string
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())
beforeEach(async () => {
  wire = await layWire(database.url)
  db = openDatabase<DB>({ url: wire.url, poolSize: 2 })
  http = await openHttp(readConfig({}), { log: createLog('silent', false), version: 'test', db })
  http.get('/select', async () => (await sql`select 1 as one`.execute(db)).rows)
  http.get('/sleep', async () => (await sql`select pg_sleep(0.5)`.execute(db)).rows)
  url = await http.listen({ port: 0, host: '127.0.0.1' })
})
afterEach(async () => {
  await http.close()
  await db.destroy()
  await wire.cut()
})

interface Wire {
  url: string
  /** Nothing can connect any more, and what was connected is not. */
  cut(): Promise<void>
  mend(): Promise<void>
}

/** A line to PostgreSQL that can be cut and mended. */
async function layWire(target: string): Promise<Wire> {
  const ends = new Set<Socket>()
  const { hostname, port } = new URL(target)
  const lay = () =>
    createServer((near) => {
      const far = connect(Number(port), hostname)
      for (const end of [near, far]) {
        ends.add(end.on('error', () => undefined).on('close', () => near.destroy() && far.destroy()))
      }
      near.pipe(far).pipe(near)
    })
  const listenOn = async (wanted: number): Promise<Server> => {
    const server = lay().listen(wanted, '127.0.0.1')
    await once(server, 'listening')
    return server
  }
  let server = await listenOn(0)
  const near = new URL(target)
  near.hostname = '127.0.0.1'
  near.port = String((server.address() as AddressInfo).port)
  return {
    url: near.href,
    async cut() {
      server.close()
      for (const end of ends) end.destroy()
      ends.clear()
    },
    async mend() {
      server = await listenOn(Number(near.port))
    },
  }
}

const unavailable = { status: 'error', code: 500000, message: 'The service cannot answer now.' }

async function ask(path: string) {
  const response = await fetch(url + path)
  return {
    status: response.status,
    retryAfter: response.headers.get('retry-after'),
    body: (await response.json()) as unknown,
  }
}

describe('while the database is away', () => {
  it('everything that needs it answers 503 and when to come back, and then answers again', async () => {
    expect((await ask('/select')).status).toBe(200)
    expect(await ask('/readyz')).toMatchObject({ status: 200, retryAfter: null })
    await wire.cut()
    for (let i = 0; i < 3; i++)
      expect(await ask('/select')).toEqual({ status: 503, retryAfter: '5', body: unavailable })
    expect(await ask('/readyz')).toMatchObject({ status: 503, retryAfter: '5' })
    expect((await ask('/healthz')).status).toBe(200)
    await wire.mend()
    expect((await ask('/select')).status).toBe(200)
    expect((await ask('/readyz')).status).toBe(200)
  })

  it('so does what was under way', async () => {
    const asked = ask('/sleep')
    while ((await sleepers()) === 0);
    await wire.cut()
    expect(await asked).toEqual({ status: 503, retryAfter: '5', body: unavailable })
  })
})

async function sleepers(): Promise<number> {
  const { rows } = await sql`
    select 1 from pg_stat_activity where datname = current_database() and query like 'select pg_sleep%'`.execute(
    db,
  )
  return rows.length
}

describe('while the server stops', () => {
  it('what comes over open connections is refused, and what runs is finished', async () => {
    const { port } = new URL(url)
    const socket = connect(Number(port), '127.0.0.1')
    let received = ''
    socket.on('data', (data) => (received += data.toString()))
    const get = (path: string) =>
      socket.write(`GET ${path} HTTP/1.1\r\nhost: localhost\r\norigin: http://a.example\r\n\r\n`)
    get('/sleep')
    while ((await sleepers()) === 0);
    const closed = http.close()
    get('/select')
    await Promise.all([closed, once(socket, 'close')])
    const [first = '', second = ''] = received.split(/(?<=[\]}])(?=HTTP)/)
    expect(first).toMatch(/^HTTP\/1\.1 200 /)
    expect(second).toMatch(/^HTTP\/1\.1 503 /)
    expect(second).toMatch(/^retry-after: 5\r$/m)
    expect(second).toMatch(/^connection: close\r$/im)
    expect(second).toMatch(/^access-control-allow-origin: /m)
    expect(JSON.parse(second.split('\r\n\r\n')[1]!)).toEqual({
      ...unavailable,
      data: { detail: ['the server is stopping'] },
    })
  })
})

it.each([
  ['false', 0],
  ['true', 1],
  ['0', 0],
  ['3', 3],
])('HUBBUB_TRUST_PROXY=%s trusts so many proxies: %i', (given, proxies) => {
  expect(readConfig({ HUBBUB_TRUST_PROXY: given }).trustedProxies).toBe(proxies)
})
it('HUBBUB_TRUST_PROXY says nothing else', () => {
  for (const given of ['yes', '-1', '1.5', '10.0.0.0/8'])
    expect(() => readConfig({ HUBBUB_TRUST_PROXY: given })).toThrow('HUBBUB_TRUST_PROXY')
})
