import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { ok } from '../../../test/factories/chat.ts'
import {
  createCommunity,
  join,
  path as communityPath,
  privacies,
} from '../../../test/factories/communities.ts'
import { createEvent, inHours, path as eventPath, respond } from '../../../test/factories/events.ts'
import type { TestAnswer, TestClient } from '../../../test/harness/client.ts'
import { moveClock, resetClock } from '../../../test/harness/clock.ts'
import { eventually } from '../../../test/harness/eventually.ts'
import { startTestServer, type TestServer } from '../../../test/harness/server.ts'
import { setClock } from '../../platform/clock.ts'
import { createLog } from '../../platform/log.ts'
import { eventsSlice } from '../events/index.ts'

const minute = 60_000
const hour = 60 * minute

let server: TestServer
let ann: TestClient
let bob: TestClient
let cat: TestClient
let communityId: string
beforeAll(async () => {
  // Events are counted hours later.
  server = await startTestServer({ HUBBUB_EVENT_WINDOW_MINUTES: '10080' })
  ;[ann, bob, cat] = await Promise.all([server.as('ann'), server.as('bob'), server.as('cat')])
  communityId = (await createCommunity(ann, { displayName: 'Birds' })).communityId
  for (const client of [bob, cat]) ok(await join(client, communityId))
})
afterEach(() => resetClock())
afterAll(() => server.close())

async function readTray(client: TestClient): Promise<TestAnswer['body']> {
  await server.settled()
  return ok(await client.get('/api/v1/notification-tray'))
}

/** What somebody's tray says of one event, the latest first. */
async function itemsOf(client: TestClient, eventId: string): Promise<TestAnswer['body'][]> {
  const { notificationTrayItems } = await readTray(client)
  return notificationTrayItems.filter((item: { referenceId: string }) => item.referenceId === eventId)
}
const categoriesOf = async (client: TestClient, eventId: string) =>
  (await itemsOf(client, eventId)).map((item) => item.trayItemCategory)

/** What was told of an event's times, and when. */
async function told(eventId: string): Promise<{ name: string; createdAt: Date }[]> {
  const rows = await server.app.db
    .selectFrom('outboxEvents')
    .select(['name', 'createdAt', 'subject'])
    .where('name', 'in', ['event.reminder', 'event.started'])
    .orderBy('createdAt')
    .execute()
  return rows.filter(({ subject }) => (subject as { id: string }).id === eventId)
}
const namesTold = async (eventId: string) => (await told(eventId)).map(({ name }) => name)

it('tells the community of a new event, and whoever is going that it starts soon, and has started', async () => {
  const fields = { title: 'Walk', startTime: inHours(2), endTime: inHours(3) }
  const { eventId } = await createEvent(ann, communityId, fields)
  const created = {
    actionType: 'event',
    trayItemCategory: 'event_created',
    actionReferenceId: eventId,
    referenceType: 'event',
    referenceId: eventId,
    targetType: 'community',
    targetId: communityId,
    text: 'ann created the event Walk in Birds.',
  }
  expect(await itemsOf(bob, eventId)).toMatchObject([created])
  // A published client shows the event with the item.
  expect((await readTray(bob)).events).toMatchObject([{ eventId, title: 'Walk' }])
  expect(await itemsOf(ann, eventId)).toEqual([])

  const dan = await server.as('dan')
  ok(await join(dan, communityId))
  for (const client of [bob, dan]) ok(await respond(client, eventId))
  ok(await respond(dan, eventId, 'not_going'))
  await moveClock(server, hour - minute)
  expect(await namesTold(eventId)).toEqual([])
  await moveClock(server, 2 * minute)
  const soon = {
    ...created,
    trayItemCategory: 'event_reminder',
    text: 'ann’s event Walk starts soon.',
    templatedText: `{{ userId: ${ann.id} }}’s event Walk starts soon.`,
  }
  expect(await itemsOf(bob, eventId)).toMatchObject([soon, created])
  expect(await itemsOf(ann, eventId)).toMatchObject([soon])
  await moveClock(server, hour)
  const started = { ...created, trayItemCategory: 'event_started', text: 'ann has started the event Walk.' }
  expect(await itemsOf(bob, eventId)).toMatchObject([started, soon, created])
  expect(await categoriesOf(cat, eventId)).toEqual(['event_created'])
  // Who changed their mind is told no more.
  expect(await categoriesOf(dan, eventId)).toEqual([])
  // The clock jumps, and what is told stays told.
  await moveClock(server, -3 * hour)
  await moveClock(server, 4 * hour)
  expect(await namesTold(eventId)).toEqual(['event.reminder', 'event.started'])
  ok(await ann.delete(eventPath(eventId)))
  expect(await itemsOf(bob, eventId)).toEqual([])
})

it('reminds anew of an event that is moved, and of one that is called off no more', async () => {
  const times = { startTime: inHours(1.5), endTime: inHours(9) }
  const [moved, called] = await Promise.all([1, 2].map(() => createEvent(ann, communityId, times)))
  for (const { eventId } of [moved, called]) ok(await respond(bob, eventId))
  ok(await ann.put(eventPath(called.eventId), { status: 'cancelled' }))
  await moveClock(server, hour)
  expect(await namesTold(moved.eventId)).toEqual(['event.reminder'])
  ok(await ann.put(eventPath(moved.eventId), { startTime: inHours(5) }))
  expect(await categoriesOf(bob, moved.eventId)).toEqual(['event_created'])
  await moveClock(server, 2 * hour)
  expect(await namesTold(moved.eventId)).toEqual(['event.reminder'])
  // Sooner than it would be reminded of: at once.
  ok(await ann.put(eventPath(moved.eventId), { startTime: inHours(3.5) }))
  await eventually(async () => (await told(moved.eventId)).length === 2)
  expect(await categoriesOf(bob, moved.eventId)).toEqual(['event_reminder', 'event_created'])
  // The same time again is no news.
  const { startTime } = ok(await ann.get(eventPath(moved.eventId))).events[0]
  ok(await ann.put(eventPath(moved.eventId), { startTime, title: 'Ride' }))
  await moveClock(server, hour)
  expect(await namesTold(moved.eventId)).toEqual(['event.reminder', 'event.reminder', 'event.started'])
  expect(await told(called.eventId)).toEqual([])
})

it('tells on time, and of what starts within the lead only that it has', async () => {
  const inMs = (ms: number) => new Date(Date.now() + ms)
  const startTime = inMs(1200)
  const times = { startTime: startTime.toISOString(), endTime: inHours(3) }
  const start = await createEvent(ann, communityId, times)
  const remindAt = inMs(1200)
  const later = { startTime: new Date(remindAt.getTime() + hour).toISOString(), endTime: inHours(3) }
  const soon = await createEvent(ann, communityId, later)
  for (const [{ eventId }, name, due] of [
    [start, 'event.started', startTime],
    [soon, 'event.reminder', remindAt],
  ] as const) {
    await eventually(async () => (await told(eventId)).length > 0)
    const [news, ...others] = await told(eventId)
    expect(others).toEqual([])
    expect(news!.name).toBe(name)
    const late = news!.createdAt.getTime() - due.getTime()
    expect(late).toBeGreaterThanOrEqual(0)
    expect(late).toBeLessThan(2500)
  }
})

it('tells once, however many wake up for it, and also when nobody was woken', async () => {
  const fields = { startTime: inHours(0.5), endTime: inHours(2) }
  const [crowded, missed] = await Promise.all([1, 2].map(() => createEvent(ann, communityId, fields)))
  const { db } = server.app
  await sql`delete from graphile_worker._private_jobs where key = ${`events.tell ${missed.eventId}`}`.execute(
    db,
  )
  setClock(() => Date.now() + hour)
  const context = { db, log: createLog('silent', false), signal: new AbortController().signal }
  const payload = { id: crowded.eventId } as never
  const [telling, sweep] = eventsSlice({ reminderMs: hour }).jobs!
  await Promise.all([1, 2, 3].map(() => telling!.run(context, payload)))
  await sweep!.run(context, payload)
  await sweep!.run(context, payload)
  for (const { eventId } of [crowded, missed]) expect(await namesTold(eventId)).toEqual(['event.started'])
})

it('hides what the reader may no longer read', async () => {
  const hidden = await createCommunity(ann, { ...privacies.hidden, userIds: ['bob'] })
  const { eventId } = await createEvent(ann, hidden.communityId, { startTime: inHours(0.5) })
  ok(await respond(bob, eventId))
  await moveClock(server, hour)
  expect(await categoriesOf(bob, eventId)).toEqual(['event_started', 'event_created'])
  ok(await ann.delete(communityPath(hidden.communityId, '/users'), { userIds: ['bob'] }))
  expect(await categoriesOf(bob, eventId)).toEqual([])
})
