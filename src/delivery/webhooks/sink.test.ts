import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import type { DB } from '../../../db/tables.ts'
import { createTestDatabase, type TestDatabase } from '../../../test/harness/database.ts'
import type { Db } from '../../kernel/database.ts'
import { createAssembler } from '../../kernel/envelope/assembler.ts'
import { registerSlots } from '../../kernel/envelope/shape.ts'
import type { DispatchedEvent } from '../../kernel/outbox/dispatcher.ts'
import { defineEvent, type EventDefinition } from '../../kernel/outbox/event.ts'
import { notificationKey, type Announce } from '../../kernel/outbox/notification.ts'
import { openDatabase } from '../../platform/database/database.ts'
import { newId } from '../../platform/ids.ts'
import type { Endpoint } from './endpoint.ts'
import { createWebhookSink } from './sink.ts'

let database: TestDatabase
let db: Db
let registered: Endpoint[]
let queued = 0
let announced: Awaited<ReturnType<Announce>>

beforeAll(async () => {
  database = await createTestDatabase()
  db = openDatabase<DB>({ url: database.url, poolSize: 4 })
})
afterAll(async () => {
  await db.destroy()
  await database.drop()
})
beforeEach(async () => {
  registered = []
  queued = 0
  announced = new Map()
  await db.deleteFrom('webhookDeliveries').execute()
  await db.deleteFrom('webhookMessages').execute()
})

function endpoint(...events: string[]): string {
  const id = newId()
  registered.push({
    id,
    url: 'https://example.org',
    appendsPath: true,
    events,
    secrets: [],
    defaultAction: 'allow',
    prehookTimeoutMs: 1000,
  })
  return id
}

interface Subject {
  object: string
}
const definition = defineEvent<Subject>({
  name: 'thing.changed',
  audiences: ({ object }) => [`hubbub/thing/${object}`],
  realtime: null,
  webhooks: [
    { name: 'thing.didChange', extra: ({ object }) => ({ object }) },
    { name: 'v5.thing.didChange', roots: ({ object }) => ({ things: [object] }), extra: () => ({ v: 5 }) },
    { name: 'push-notification/thing.changed', extra: () => ({}), notification: 'thing.changed' },
  ],
}) as EventDefinition

let position = 0
const happened = (object: string): DispatchedEvent => ({
  definition,
  position: ++position,
  id: newId(),
  name: definition.name,
  audiences: [`hubbub/thing/${object}`],
  actorId: null,
  subject: { object },
  createdAt: new Date(),
})

const sink = () =>
  createWebhookSink(
    { assemble: createAssembler(registerSlots([])), announce: async () => announced },
    db,
    { list: async () => registered, disable: async () => undefined },
    () => void queued++,
  )
const deliveries = () => db.selectFrom('webhookDeliveries').selectAll().orderBy('seq').execute()
const messages = () => db.selectFrom('webhookMessages').selectAll().orderBy('id').execute()

it('writes a message for each form and a delivery for each endpoint that wants it, in order', async () => {
  const all = endpoint('*')
  const one = endpoint('thing.didChange')
  endpoint('user.didCreate', 'message.shouldCreate')
  const [a, b] = [happened('a'), happened('b')]
  await sink().take([a, b])
  const written = await messages()
  expect(written.map(({ name, body }) => [name, JSON.parse(body)])).toEqual(
    expect.arrayContaining([
      ['thing.didChange', { event: 'thing.didChange', data: { object: 'a' } }],
      ['v5.thing.didChange', { event: 'v5.thing.didChange', data: { v: 5 } }],
    ]),
  )
  expect(written).toHaveLength(4)
  const rows = await deliveries()
  expect(rows.map(({ webhookId }) => webhookId)).toEqual([all, one, all, all, one, all])
  expect(rows.map(({ messageId }) => messageId.split('-')[0])).toEqual([a.id, a.id, a.id, b.id, b.id, b.id])
  // By the object, or by the topic of events that have none.
  const keys = rows.map(({ streamKey }) => streamKey)
  expect([...new Set(keys)]).toEqual(['hubbub/thing/a', 'a', 'hubbub/thing/b', 'b'])
  expect(queued).toBe(1)
})

it('tells of a notification in its own envelope, and only when there is one', async () => {
  endpoint('push-notification/thing.changed')
  const [a, b] = [happened('a'), happened('b')]
  const said = { title: 'T', body: 'B', targetIds: ['bob'], isBroadcast: false, notify: true }
  announced.set(notificationKey(b.id, 'thing.changed'), said)
  await sink().take([a, b])
  const [message, ...others] = await messages()
  expect(others).toEqual([])
  expect(JSON.parse(message!.body)).toMatchObject({
    id: b.id,
    eventType: 'push-notification.created',
    sentTime: b.createdAt.toISOString(),
    data: { eventName: 'thing.changed', ...said },
  })
})

it('changes nothing when it takes the same events again', async () => {
  endpoint('*')
  const events = [happened('a'), happened('b')]
  await sink().take(events)
  const before = [await messages(), await deliveries()]
  await sink().take(events)
  expect([await messages(), await deliveries()]).toEqual(before)
})

it('writes nothing that nobody wants', async () => {
  await sink().take([happened('a')])
  endpoint('user.didCreate')
  await sink().take([happened('a')])
  expect([await messages(), await deliveries(), queued]).toEqual([[], [], 0])
})
