import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { converse, ok, openChannel, say } from '../../../test/factories/chat.ts'
import type { TestClient } from '../../../test/harness/client.ts'
import { eventually } from '../../../test/harness/eventually.ts'
import { startPushWorld, type PushWorld } from '../../../test/harness/push-world.ts'
import { findEventsAfter } from '../../kernel/outbox/store.ts'
import { retryDelay } from './backoff.ts'
import { createPushSink } from './sink.ts'

let world: PushWorld
let ann: TestClient
let bob: TestClient
let cat: TestClient
let channelId: string
beforeAll(async () => {
  world = await startPushWorld({ pushGraceMs: 300 })
  const as = (name: string) => world.server.as(name)
  ;[ann, bob, cat] = await Promise.all([as('ann'), as('bob'), as('cat')])
  channelId = (await openChannel(ann, {}, bob, cat)).channelId
})
beforeEach(async () => {
  await world.phone(bob)
  await world.phone(cat, 'android')
})
afterAll(() => world.close())

const db = () => world.server.app.db
const devices = async () =>
  (await db().selectFrom('devices').select('deviceId').orderBy('deviceId').execute()).map(
    (row) => row.deviceId,
  )
const deliveries = () => db().selectFrom('pushDeliveries').selectAll().execute()
/** Those that were refused for now: a claim lasts longer. */
const putOff = async () =>
  (await deliveries()).filter(({ nextAttemptAt }) => nextAttemptAt.getTime() < Date.now() + 30_000)
const due = () =>
  db()
    .updateTable('pushDeliveries')
    .set({ nextAttemptAt: new Date(0) })
    .execute()
const tokens = async () => (await world.shown()).map(({ token }) => token)

it('forgets devices their service no longer knows', async () => {
  world.apns.answer = () => ({ status: 410, body: { reason: 'Unregistered' } })
  await say(ann, channelId, 'Hi')
  expect(await tokens()).toEqual(['phone-of-bob', 'phone-of-cat'])
  await eventually(async () => (await devices()).length === 1)
  expect(await devices()).toEqual(['phone-of-cat'])
  world.apns.answer = () => ({ status: 200 })
})

it('tries again later what a service could not take, and gives up what it refused', async () => {
  world.apns.answer = () => ({ status: 503 })
  world.fcm.answer = () => ({ status: 400, body: { error: { details: [{ errorCode: 'OTHER' }] } } })
  await say(ann, channelId, 'Hi')
  await eventually(() => world.apns.taken.length === 1 && world.fcm.taken.length === 1)
  const [left] = await eventually(putOff)
  expect(left).toMatchObject({ vendor: 'apns', attempts: 1 })
  expect(left!.nextAttemptAt.getTime()).toBeGreaterThan(Date.now() + 5000)
  await expect.poll(async () => (await deliveries()).length).toBe(1)
  world.apns.answer = () => ({ status: 200 })
  world.fcm.answer = () => ({ status: 200 })
  await due()
  await expect.poll(async () => (await deliveries()).length).toBe(0)
  expect(world.apns.taken).toHaveLength(2)
  world.apns.taken.length = world.fcm.taken.length = 0
})

it('waits longer each time, up to an hour and a quarter', () => {
  expect([1, 2, 3, 9].map((attempts) => retryDelay(attempts, 0))).toEqual([
    10_000, 40_000, 160_000, 3_600_000,
  ])
  expect(retryDelay(1, 31)).toBeLessThan(12_500)
  expect(retryDelay(500, 31)).toBeLessThan(4_500_000)
})

it('does not let one service hold up another', async () => {
  let release = () => {}
  const held = new Promise<void>((resolve) => (release = resolve))
  world.fcm.answer = async () => {
    await held
    return { status: 200 }
  }
  for (let i = 0; i < 5; i++) await say(ann, channelId, `${i}`)
  await expect.poll(() => world.apns.taken.length).toBe(5)
  await expect.poll(() => world.fcm.taken.length).toBe(5)
  expect((await deliveries()).map(({ vendor }) => vendor)).toEqual(Array(5).fill('fcm'))
  release()
  await expect.poll(async () => (await deliveries()).length).toBe(0)
  world.fcm.answer = () => ({ status: 200 })
  world.apns.taken.length = world.fcm.taken.length = 0
})

it('is silent for who has read it meanwhile, and of what was taken back', async () => {
  const chat = await converse(ann, ['bob'])
  await say(ann, chat.channelId, 'Read at once')
  const seen = { channels: [{ channelId: chat.channelId, readToSegment: 1 }] }
  ok(await bob.post('/api/v3/channels/seen', seen))
  expect(await tokens()).toEqual([])
  const message = await say(ann, chat.channelId, 'Oops')
  ok(await ann.delete(`/api/v3/messages/${message.messageId}`))
  expect(await tokens()).toEqual([])
  await say(ann, chat.channelId, 'Unread')
  expect(await tokens()).toEqual(['phone-of-bob'])
})

it('pushes once what the outbox repeats', async () => {
  await say(ann, channelId, 'Once')
  expect(await tokens()).toHaveLength(2)
  const definition = { name: '', audiences: () => [], realtime: null, webhooks: [] }
  const events = (await findEventsAfter(db(), 0, 1000)).map((event) => ({ ...event, definition }))
  await createPushSink(db(), () => {}).take(events)
  expect(await tokens()).toEqual([])
})

it('takes up what a crash left behind', async () => {
  world.apns.answer = () => ({ status: 503 })
  await say(ann, channelId, 'Left')
  await eventually(() => world.apns.taken.length === 1)
  world.apns.answer = () => ({ status: 200 })
  // As if the node that had claimed it were gone: the claim runs out.
  await eventually(putOff)
  await due()
  await expect.poll(async () => (await deliveries()).length).toBe(0)
  expect(world.apns.taken).toHaveLength(2)
})
