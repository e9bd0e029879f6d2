import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createClient, type TestClient } from './harness/client.ts'
import { createTestDatabase, type TestDatabase } from './harness/database.ts'
import { eventually } from './harness/eventually.ts'
import { withClient } from './harness/postgres.ts'
import { startServerProcess, type ServerProcess } from './harness/process.ts'

let database: TestDatabase
let dataDir: string
const servers: ServerProcess[] = []

beforeAll(async () => {
  database = await createTestDatabase()
  dataDir = await mkdtemp(join(tmpdir(), 'hubbub-scheduled-'))
})
afterAll(async () => {
  await killAll()
  await database.drop()
  await rm(dataDir, { recursive: true, force: true })
})

async function startNode(): Promise<ServerProcess> {
  const server = await startServerProcess(dataDir, {
    DATABASE_URL: database.url,
    HUBBUB_LOG_LEVEL: 'fatal',
  })
  servers.push(server)
  return server
}

async function killAll(): Promise<void> {
  await Promise.all(servers.splice(0).map((server) => server.kill()))
}

const path = '/api/v1/posts/schedule'
const texts = Array.from({ length: 80 }, (_, n) => `post ${String(n).padStart(3, '0')}`)

/** Schedules one post for each text, all due at once when this resolves, in the order of the texts. */
async function scheduleAll(client: TestClient): Promise<void> {
  const from = Date.now() + 2 * 3_600_000
  const answers = await Promise.all(
    texts.map((text, n) => {
      const scheduledAt = new Date(from + n).toISOString()
      return client.post(path, { scheduledAt, postData: { data: { text } } })
    }),
  )
  expect(answers.every(({ status }) => status === 200)).toBe(true)
  // The hours pass in the rows.
  await withClient(database.url, async (sql) => {
    await sql.query(`update scheduled_posts set scheduled_at = scheduled_at - interval '150 minutes'`)
    await sql.query(`update graphile_worker._private_jobs set run_at = now() where locked_at is null`)
  })
}

async function areAllDone(client: TestClient): Promise<boolean> {
  const { body } = await client.get(path, { status: 'WAIT' })
  return body.data.length === 0
}

/** Texts of the posts on one's page, oldest first. */
async function page(client: TestClient): Promise<string[]> {
  const all: string[] = []
  const target = { targetType: 'user', targetId: client.userId }
  let query: Record<string, unknown> = { options: { limit: 100 } }
  for (;;) {
    const { body, status } = await client.get('/api/v5/posts', { ...target, ...query })
    if (status !== 200) throw new Error(JSON.stringify(body))
    all.push(...body.posts.map((post: { data: { text: string } }) => post.data.text))
    if (!body.paging?.next) return all.reverse()
    query = { options: { token: body.paging.next } }
  }
}

describe(`${texts.length} scheduled posts appear once and in order`, () => {
  it('from two servers, one of which is killed meanwhile', { timeout: 240_000 }, async () => {
    const [first, second] = await Promise.all([startNode(), startNode()])
    const client = await createClient(second.url, second.apiKey, 'alice')
    await scheduleAll(client)
    await eventually(async () => (await page(client)).length > 10, 30_000)
    await first.kill()
    await eventually(() => areAllDone(client), 60_000)
    expect(await page(client)).toEqual(texts)
  })

  it('from a server that is killed again and again', { timeout: 240_000 }, async () => {
    await killAll()
    let server = await startNode()
    let client = await createClient(server.url, server.apiKey, 'bob')
    await scheduleAll(client)
    for (let round = 1; round <= 2; round++) {
      await eventually(async () => (await page(client)).length > round * 20, 30_000)
      await killAll()
      server = await startNode()
      client = await createClient(server.url, server.apiKey, 'bob')
    }
    await eventually(() => areAllDone(client), 60_000)
    expect(await page(client)).toEqual(texts)
  })
})
