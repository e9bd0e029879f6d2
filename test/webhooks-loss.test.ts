import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createClient, type TestClient } from './harness/client.ts'
import { createTestDatabase, type TestDatabase } from './harness/database.ts'
import { eventually } from './harness/eventually.ts'
import { startServerProcess, type ServerProcess } from './harness/process.ts'
import {
  startWebhookReceiver,
  verifyWebhook,
  type ReceivedWebhook,
  type WebhookReceiver,
} from './harness/webhook-receiver.ts'
import { seededRandom } from './realtime/random.ts'

const people = 40
const events = 2000
const crashes = 3

let dataDir: string
let database: TestDatabase
let server: ServerProcess
let receiver: WebhookReceiver

const start = () =>
  startServerProcess(dataDir, {
    // Only the server is killed, so the database is another's.
    DATABASE_URL: database.url,
    HUBBUB_WEBHOOK_ALLOW_PRIVATE: 'true',
    HUBBUB_WEBHOOK_TIMEOUT_SECONDS: '1',
    HUBBUB_WEBHOOK_RETRY_SECONDS: `0.1,0.2,0.4${',0.5'.repeat(27)}`,
  })

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'hubbub-webhooks-'))
  database = await createTestDatabase()
  receiver = await startWebhookReceiver()
  server = await start()
}, 90_000)
afterAll(async () => {
  await server.kill().catch(() => undefined)
  await receiver.close()
  await database.drop()
  await rm(dataDir, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 })
}, 90_000)

/** What one person has changed of themselves: the object whose events must stay in order. */
interface Person {
  userId: string
  tried: number
  acknowledged: number
}

/** Changes until all is done or the server is gone. */
async function changeUntilGone(client: TestClient, person: Person): Promise<void> {
  while (person.acknowledged < events / people) {
    person.tried++
    try {
      const { status } = await client.put('/api/v3/users', { description: `change ${person.tried}` })
      if (status !== 200) throw new Error(`status ${status}`)
      person.acknowledged++
    } catch (error) {
      if (error instanceof TypeError) return
      throw error
    }
  }
}

/** Fails, hangs, resets, or takes an event and resets all the same, as chance will have it. */
function misbehave(): void {
  const random = seededRandom(7)
  receiver.answer((_request, response) => {
    const chance = random()
    if (chance < 0.1) response.writeHead(500).end('no')
    else if (chance < 0.13) return
    else if (chance < 0.18) response.destroy()
    else if (chance < 0.23)
      response.writeHead(200, { 'content-length': 5 }).write('t', () => response.destroy())
    else response.end('taken')
  })
}

const byPerson = (calls: ReceivedWebhook[]) => {
  const ids = new Map<string, string[]>()
  for (const { id, body } of calls) {
    const userId = body.data.users[0].userId as string
    const own = ids.get(userId) ?? []
    ids.set(userId, own)
    if (!own.includes(id)) own.push(id)
  }
  return ids
}

it(
  `${events} events reach a receiver that fails at random, over ${crashes} kills of the server`,
  { timeout: 240_000 },
  async () => {
    misbehave()
    const admin = await createClient(server.url, server.apiKey, 'admin')
    const { body } = await admin.post('/api/v1/webhooks', { url: receiver.url, events: ['user.didUpdate'] })
    const { secret, webhookId } = body.webhooks[0]
    const all: Person[] = Array.from({ length: people }, (_, i) => ({
      userId: `person${i}`,
      tried: 0,
      acknowledged: 0,
    }))
    const acknowledged = () => all.reduce((sum, person) => sum + person.acknowledged, 0)

    for (let round = 1; round <= crashes + 1; round++) {
      const clients = await Promise.all(
        all.map(({ userId }) => createClient(server.url, server.apiKey, userId)),
      )
      const changing = Promise.all(all.map((person, i) => changeUntilGone(clients[i]!, person)))
      if (round <= crashes) {
        const enough = (events * round) / (crashes + 1)
        await eventually(() => acknowledged() >= enough, 60_000)
        await server.kill()
      }
      await changing
      if (round <= crashes) server = await start()
    }
    expect(acknowledged()).toBe(events)

    const again = await createClient(server.url, server.apiKey, 'admin')
    const count = async (state: string) => {
      const answer = await again.get(`/api/v1/webhooks/${webhookId}/deliveries`, { state })
      return answer.body.deliveries.length as number
    }
    const arrived = () => [...byPerson(receiver.received).values()].reduce((sum, ids) => sum + ids.length, 0)
    await eventually(() => arrived() >= events, 60_000)
    await eventually(async () => (await count('pending')) === 0, 60_000)
    expect(await count('dead')).toBe(0)

    const ids = byPerson(receiver.received)
    for (const person of all) {
      const own = ids.get(person.userId) ?? []
      // A change that was not acknowledged may have happened nevertheless.
      expect(own.length).toBeGreaterThanOrEqual(person.acknowledged)
      expect(own.length).toBeLessThanOrEqual(person.tried)
      // Ids of events grow with time.
      expect(own).toEqual([...own].sort())
    }
    expect(receiver.received.length).toBeGreaterThan(arrived())
    const texts = new Map<string, string>()
    for (const call of receiver.received) {
      expect(texts.get(call.id) ?? call.text).toBe(call.text)
      texts.set(call.id, call.text)
      verifyWebhook(secret, call)
    }
  },
)
