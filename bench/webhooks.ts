// Webhook deliveries a second, from rows in PostgreSQL through signing and sending to rows that say how it went, beside
// a bare loop of POSTs of the same bodies to the same receiver. Prints a Markdown table.
//   npm run bench -- webhooks [--quick]
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent, request } from 'undici'
import type { DB } from '../db/tables.ts'
import type { Endpoint } from '../src/delivery/webhooks/endpoint.ts'
import { createPoster } from '../src/delivery/webhooks/post.ts'
import { startWebhookSender } from '../src/delivery/webhooks/sender.ts'
import { insertDeliveries, insertMessages } from '../src/delivery/webhooks/store.ts'
import { inTransaction, type Db } from '../src/kernel/database.ts'
import { openDatabase } from '../src/platform/database/database.ts'
import { migrate } from '../src/platform/database/migrations.ts'
import { startEmbeddedPostgres } from '../src/platform/embedded-postgres/index.ts'
import { newId } from '../src/platform/ids.ts'
import { createLog } from '../src/platform/log.ts'
import { createOutbound } from '../src/platform/outbound/outbound.ts'
import { startProcess } from './api/servers.ts'

const objects = 1000
/** Requests at once to one endpoint: what the sender does. */
const concurrent = 16
const body = JSON.stringify({ event: 'user.didUpdate', data: { users: ['x'.repeat(1500)] } })

/** Measures and prints the table. */
export async function benchWebhooks(quick: boolean): Promise<void> {
  const [count, rounds] = quick ? [2000, 1] : [10_000, 3]
  const dataDir = await mkdtemp(join(tmpdir(), 'hubbub-bench-'))
  const postgres = await startEmbeddedPostgres({ dataDir })
  await migrate(postgres.url)
  const db = openDatabase<DB>({ url: postgres.url })
  const receiver = await startProcess(['--import', 'tsx', 'bench/webhooks/receiver-process.ts'], {})
  try {
    console.log('| endpoints | bare POSTs, /s | Hubbub, /s | ratio |')
    console.log('| ---: | ---: | ---: | ---: |')
    for (const endpoints of [1, 5]) {
      const floors: number[] = []
      const ours: number[] = []
      await bare(receiver.url, count / 4, endpoints)
      for (let round = 0; round < rounds; round++) {
        floors.push(await bare(receiver.url, count, endpoints))
        ours.push(await deliver(db, receiver.url, count, endpoints))
      }
      const [floor, own] = [median(floors), median(ours)]
      console.log(`| ${endpoints} | ${floor.toFixed(0)} | ${own.toFixed(0)} | ${(own / floor).toFixed(2)} |`)
    }
  } finally {
    await receiver.stop()
    await db.destroy()
    await postgres.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
}

const median = (values: number[]) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)]!

async function bare(url: string, count: number, endpoints: number): Promise<number> {
  const agent = new Agent({ connections: concurrent * endpoints, pipelining: 1 })
  let left = count
  const loop = async () => {
    while (left-- > 0) {
      const answer = await request(url, {
        dispatcher: agent,
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      })
      await answer.body.dump()
    }
  }
  const began = performance.now()
  await Promise.all(Array.from({ length: concurrent * endpoints }, loop))
  const seconds = (performance.now() - began) / 1000
  await agent.close()
  return count / seconds
}

async function deliver(db: Db, url: string, count: number, endpoints: number): Promise<number> {
  const registered = Array.from({ length: endpoints }, (): Endpoint => {
    const secrets = [`whsec_${Buffer.alloc(32, 1).toString('base64')}`]
    return {
      id: newId(),
      url,
      appendsPath: true,
      events: ['*'],
      secrets,
      defaultAction: 'allow',
      prehookTimeoutMs: 1000,
    }
  })
  await queue(db, registered, count / endpoints)
  const outbound = createOutbound({
    userAgent: 'bench',
    allowPrivate: true,
    concurrent: 1000,
    perOrigin: concurrent * endpoints,
  })
  const began = performance.now()
  const sender = startWebhookSender({
    db,
    endpoints: { list: async () => registered, disable: async () => undefined },
    post: createPoster(outbound, async () => 'token'),
    log: createLog('warn', false),
    retrySeconds: [],
    timeoutMs: 15_000,
    keepDeliveredMs: 86_400_000,
  })
  while ((await pending(db)) > 0) await new Promise((resolve) => setTimeout(resolve, 20))
  const seconds = (performance.now() - began) / 1000
  await sender.stop(() => outbound.close())
  await db.deleteFrom('webhookDeliveries').execute()
  return count / seconds
}

async function queue(db: Db, endpoints: Endpoint[], count: number): Promise<void> {
  const at = new Date()
  const messages = Array.from({ length: count }, (_, i) => ({
    id: newId(),
    name: 'user.didUpdate',
    streamKey: `object ${i % objects}`,
    body,
  }))
  await inTransaction(db, async (tx) => {
    await insertMessages(tx, messages, at)
    const deliveries = messages.flatMap(({ id: messageId, streamKey }) =>
      endpoints.map(({ id: webhookId }) => ({ webhookId, messageId, streamKey })),
    )
    await insertDeliveries(tx, deliveries, at)
  })
}

async function pending(db: Db): Promise<number> {
  const row = await db
    .selectFrom('webhookDeliveries')
    .select('seq')
    .where('state', '=', 'pending')
    .limit(1)
    .executeTakeFirst()
  return row ? 1 : 0
}
