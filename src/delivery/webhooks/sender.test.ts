import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import type { DB } from '../../../db/tables.ts'
import { createTestDatabase, type TestDatabase } from '../../../test/harness/database.ts'
import { eventually } from '../../../test/harness/eventually.ts'
import { startWebhookReceiver, type WebhookReceiver } from '../../../test/harness/webhook-receiver.ts'
import { inTransaction, type Db } from '../../kernel/database.ts'
import { openDatabase } from '../../platform/database/database.ts'
import { newId } from '../../platform/ids.ts'
import { createLog } from '../../platform/log.ts'
import { createOutbound, type Outbound } from '../../platform/outbound/outbound.ts'
import type { Endpoint, Endpoints } from './endpoint.ts'
import { deliveryLog } from './log.ts'
import { createPoster } from './post.ts'
import { startWebhookSender, type WebhookSender } from './sender.ts'
import { insertDeliveries, insertMessages, keepSenderAlive } from './store.ts'
import { sweepDeliveries } from './sweep.ts'

let database: TestDatabase
let db: Db
let receiver: WebhookReceiver
let registered: Endpoint[]
let disabled: string[]
const senders: { sender: WebhookSender; outbound: Outbound }[] = []

beforeAll(async () => {
  database = await createTestDatabase()
  db = openDatabase<DB>({ url: database.url, poolSize: 10 })
})
afterAll(async () => {
  await db.destroy()
  await database.drop()
})
beforeEach(async () => {
  registered = []
  disabled = []
  receiver = await startWebhookReceiver()
})
afterEach(async () => {
  for (const { sender, outbound } of senders.splice(0)) await sender.stop(() => outbound.close(0))
  await receiver.close()
  await db.deleteFrom('webhookDeliveries').execute()
  await db.deleteFrom('webhookSenders').execute()
})

const endpoints: Endpoints = {
  list: async () => registered.filter(({ id }) => !disabled.includes(id)),
  disable: async (_tx, id) => void disabled.push(id),
}

function endpoint(url = receiver.url): Endpoint {
  const made: Endpoint = {
    id: newId(),
    url,
    appendsPath: true,
    events: ['*'],
    secrets: ['whsec_c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0'],
    defaultAction: 'allow',
    prehookTimeoutMs: 1000,
  }
  registered.push(made)
  return made
}

/** Queues events of objects, named `object:n`, in this order. */
async function queue({ id }: Endpoint, ...names: string[]): Promise<string[]> {
  const messages = names.map((name) => ({
    id: newId(),
    name: 'user.didUpdate',
    streamKey: name.split(':')[0]!,
    body: JSON.stringify({ name }),
  }))
  await inTransaction(db, async (tx) => {
    await insertMessages(tx, messages, new Date())
    await insertDeliveries(
      tx,
      messages.map((message) => ({ webhookId: id, messageId: message.id, streamKey: message.streamKey })),
      new Date(),
    )
  })
  return messages.map((message) => message.id)
}

function start({ retrySeconds = [0.05, 0.05, 0.05], timeoutMs = 5000, allowPrivate = true } = {}) {
  const outbound = createOutbound({ userAgent: 'test', allowPrivate, perOrigin: 500, concurrent: 500 })
  const post = createPoster(outbound, async () => 'token')
  const log = createLog('silent', false)
  const options = { db, endpoints, post, log, retrySeconds, timeoutMs, keepDeliveredMs: 1000, pollMs: 50 }
  const sender = startWebhookSender(options)
  senders.push({ sender, outbound })
  return sender
}

const told = () => receiver.received.map(({ body }) => body.name as string)
const rows = () => db.selectFrom('webhookDeliveries').selectAll().orderBy('seq').execute()
const allDone = () => eventually(async () => (await rows()).every(({ state }) => state !== 'pending'), 15_000)

/** Answers 500 to what a test picks, 200 to the rest. */
function failFor(picks: (name: string, nth: number) => boolean): void {
  const times = new Map<string, number>()
  receiver.answer(({ id, body }, response) => {
    times.set(id, (times.get(id) ?? 0) + 1)
    response.writeHead(picks(body.name, times.get(id)!) ? 500 : 200).end('said')
  })
}

it('tries again under the same id until it is taken, and writes down how it went', async () => {
  failFor((_name, nth) => nth < 3)
  const [id] = await queue(endpoint(), 'a:1')
  start()
  await allDone()
  expect(receiver.received.map((call) => call.id)).toEqual([id, id, id])
  const [row] = await deliveryLog.list(db, registered[0]!.id, {}, { limit: 10, key: [], direction: 'after' })
  expect(row).toMatchObject({ state: 'delivered', attempts: 3, finishedAt: expect.any(Date) })
  expect(row!.attemptLog.map(({ status }) => status)).toEqual([500, 500, 200])
  expect(row!.attemptLog[0]).toMatchObject({
    error: null,
    responseBody: 'said',
    durationMs: expect.any(Number),
  })
})

it('gives up after the last pause; what was given up can be sent again', async () => {
  failFor(() => true)
  const one = endpoint()
  const [first, second] = await queue(one, 'a:1', 'b:1')
  start()
  await allDone()
  expect(await rows()).toMatchObject([
    { state: 'dead', attempts: 4 },
    { state: 'dead', attempts: 4 },
  ])
  failFor(() => false)
  receiver.received.length = 0
  expect(await inTransaction(db, (tx) => deliveryLog.replay(tx, one.id, first!))).toBe(true)
  await allDone()
  expect(receiver.received.map(({ id }) => id)).toEqual([first])
  expect(await inTransaction(db, (tx) => deliveryLog.replayDead(tx, one.id, { event: 'x' }))).toBe(0)
  expect(await inTransaction(db, (tx) => deliveryLog.replayDead(tx, one.id, {}))).toBe(1)
  await allDone()
  expect(receiver.received.map(({ id }) => id)).toEqual([first, second])
})

it('takes only 2xx for success: redirects are not followed', async () => {
  receiver.answer((_request, response) => response.writeHead(307, { location: `${receiver.url}/else` }).end())
  await queue(endpoint(), 'a:1')
  start({ retrySeconds: [] })
  await allDone()
  expect(receiver.received.map((call) => call.path)).toEqual(['/webhook/user.didUpdate'])
  expect((await rows())[0]).toMatchObject({ state: 'dead', attemptLog: [{ status: 307 }] })
})

it.each([
  ['hangs', { error: expect.stringMatching(/^timeout/), status: null }],
  ['resets', { error: expect.stringMatching(/^connectFailure/), status: null }],
  ['floods', { error: null, status: 200, responseBody: 'x'.repeat(1000) }],
  ['is binary', { error: null, status: 200, responseBody: 'a\uFFFD' }],
])('a receiver that %s does no harm', async (how, logged) => {
  receiver.answer((_request, response) => {
    if (how === 'resets') response.destroy()
    else if (how === 'floods') response.end('x'.repeat(5_000_000))
    else if (how === 'is binary') response.end(Buffer.from([0, 97, 0xff]))
  })
  await queue(endpoint(), 'a:1')
  start({ retrySeconds: [], timeoutMs: 1000 })
  await allDone()
  expect((await rows())[0]!.attemptLog).toEqual([expect.objectContaining(logged)])
})

it('calls no private address unless it may', async () => {
  await queue(endpoint(), 'a:1')
  start({ retrySeconds: [], allowPrivate: false })
  await allDone()
  expect(receiver.received).toEqual([])
  expect((await rows())[0]!.attemptLog).toMatchObject([{ error: expect.stringMatching(/^forbiddenAddress/) }])
})

it('disables an endpoint that is gone; what waits for it goes on when it is enabled again', async () => {
  receiver.answer((_request, response) => response.writeHead(410).end())
  const gone = endpoint()
  await queue(gone, 'a:1', 'a:2')
  start()
  await eventually(() => disabled)
  await eventually(async () => (await rows())[0]!.state === 'dead')
  await sleep(200)
  expect(told()).toEqual(['a:1'])
  expect((await rows())[1]).toMatchObject({ state: 'pending', claimedBy: null, attempts: 0 })
  failFor(() => false)
  disabled = []
  await allDone()
  expect(told()).toEqual(['a:1', 'a:2'])
})

it('waits as long as the receiver asks for, with everything for it', async () => {
  let asked = 0
  receiver.answer((_request, response) => {
    if (asked++ === 0) response.writeHead(429, { 'retry-after': '1' }).end()
    else response.end()
  })
  const one = endpoint()
  await queue(one, 'a:1')
  const sender = start()
  await eventually(() => receiver.received)
  const since = performance.now()
  await queue(one, 'b:1')
  sender.nudge()
  await allDone()
  expect(performance.now() - since).toBeGreaterThan(800)
  expect(told().sort()).toEqual(['a:1', 'a:1', 'b:1'])
})

it('keeps the order of each object, and only that', async () => {
  failFor((name, nth) => name === 'a:1' && nth < 4)
  await queue(endpoint(), 'a:1', 'a:2', 'b:1', 'a:3', 'b:2')
  start()
  await allDone()
  const order = told().filter((name, i, all) => all.indexOf(name) === i)
  expect(order.filter((name) => name.startsWith('a'))).toEqual(['a:1', 'a:2', 'a:3'])
  expect(order.filter((name) => name.startsWith('b'))).toEqual(['b:1', 'b:2'])
  expect(told().indexOf('b:2')).toBeLessThan(told().indexOf('a:2'))
})

it('lets the later events of an object wait an hour for a failing one, then no longer', async () => {
  failFor((name) => name === 'a:1')
  await queue(endpoint(), 'a:1', 'a:2')
  const sender = start({ retrySeconds: [3000, 3000] })
  await eventually(async () => (await rows())[0]!.attempts === 1)
  // What waits is looked at again when the failing one is tried again, or when patience ends.
  await eventually(async () => (await rows())[1]!.dueAt > new Date(Date.now() + 2_900_000))
  expect(told()).toEqual(['a:1'])
  await db
    .updateTable('webhookDeliveries')
    .set({ firstFailedAt: new Date(Date.now() - 3_600_001) })
    .where('attempts', '=', 1)
    .execute()
  await db.updateTable('webhookDeliveries').set({ dueAt: new Date() }).where('attempts', '=', 0).execute()
  sender.nudge()
  await eventually(() => told().includes('a:2'))
})

it('one that hangs holds up no other', async () => {
  const slow = await startWebhookReceiver()
  slow.answer(() => undefined)
  const names = Array.from({ length: 100 }, (_, i) => `o${i}:1`)
  await queue(endpoint(slow.url), ...names)
  const good = endpoint()
  await queue(good, ...names)
  start({ timeoutMs: 30_000 })
  await eventually(() => receiver.received.length === 100)
  expect(slow.received.length).toBeLessThanOrEqual(16)
  await slow.close()
})

it('several senders share the work and send nothing twice', async () => {
  const names = Array.from({ length: 300 }, (_, i) => `o${i % 30}:${i}`)
  await queue(endpoint(), ...names)
  for (let i = 0; i < 3; i++) start()
  await allDone()
  expect(told().sort()).toEqual([...names].sort())
  for (let object = 0; object < 30; object++) {
    const own = told().filter((name) => name.startsWith(`o${object}:`))
    expect(own).toEqual([...own].sort((a, b) => Number(a.split(':')[1]) - Number(b.split(':')[1])))
  }
})

it('takes over the claims of a sender that is dead, not of one that lives', async () => {
  await queue(endpoint(), 'a:1', 'b:1')
  await keepSenderAlive(db, 'living', 60_000)
  await db
    .updateTable('webhookDeliveries')
    .set({ claimedBy: 'living' })
    .where('streamKey', '=', 'a')
    .execute()
  await db.updateTable('webhookDeliveries').set({ claimedBy: 'dead' }).where('streamKey', '=', 'b').execute()
  const sender = start()
  await eventually(() => told().includes('b:1'))
  await sleep(150)
  expect(told()).toEqual(['b:1'])
  await keepSenderAlive(db, 'living', -1)
  sender.nudge()
  await allDone()
  expect(told()).toEqual(['b:1', 'a:1'])
})

it('stops gracefully: what is under way is finished, the rest is let go', async () => {
  receiver.answer((_request, response) => void setTimeout(() => response.end(), 300))
  await queue(endpoint(), ...Array.from({ length: 40 }, (_, i) => `o${i}:1`))
  start()
  await eventually(() => receiver.received.length === 16)
  const [{ sender, outbound }] = senders.splice(0) as [(typeof senders)[number]]
  await sender.stop(() => outbound.close(5000))
  const after = await rows()
  expect(after.filter(({ state }) => state === 'delivered')).toHaveLength(16)
  expect(after.filter(({ claimedBy }) => claimedBy !== null)).toEqual([])
  expect(after.every(({ state, attempts }) => state === 'delivered' || attempts === 0)).toBe(true)
})

it('forgets what is older than it is kept', async () => {
  const one = endpoint()
  const ids = await queue(one, 'old:1', 'dead:1', 'ancient:1', 'new:1')
  const age = async (id: string, days: number, state: string) => {
    const createdAt = new Date(Date.now() - days * 86_400_000)
    await db.updateTable('webhookDeliveries').set({ createdAt, state }).where('messageId', '=', id).execute()
    await db.updateTable('webhookMessages').set({ createdAt }).where('id', '=', id).execute()
  }
  await age(ids[0]!, 4, 'delivered')
  await age(ids[1]!, 4, 'dead')
  await age(ids[2]!, 31, 'dead')
  await sweepDeliveries(db, 3 * 86_400_000)
  expect((await rows()).map(({ messageId }) => messageId)).toEqual([ids[1], ids[3]])
  const kept = await db.selectFrom('webhookMessages').select('id').where('id', 'in', ids).execute()
  expect(kept.map(({ id }) => id).sort()).toEqual([ids[1], ids[3]].sort())
})
