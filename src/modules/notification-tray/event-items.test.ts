import { afterAll, beforeAll, expect, it } from 'vitest'
import { ok } from '../../../test/factories/chat.ts'
import { createCommunity, join } from '../../../test/factories/communities.ts'
import { createEvent, path as eventPath, respond } from '../../../test/factories/events.ts'
import type { TestAnswer, TestClient } from '../../../test/harness/client.ts'
import { startTestServer, type TestServer } from '../../../test/harness/server.ts'
import { createLog } from '../../platform/log.ts'
import { eventsSlice } from '../events/index.ts'

let server: TestServer
let ann: TestClient
let bob: TestClient
let cat: TestClient
beforeAll(async () => {
  server = await startTestServer()
  ;[ann, bob, cat] = await Promise.all([server.as('ann'), server.as('bob'), server.as('cat')])
})
afterAll(() => server.close())

async function readTray(client: TestClient): Promise<TestAnswer['body']> {
  await server.settled()
  return ok(await client.get('/api/v1/notification-tray'))
}

const itemsOf = async (client: TestClient) => (await readTray(client)).notificationTrayItems

/** Looks for events that have started, as the job does now and then. */
async function lookForStarts(): Promise<void> {
  const context = { db: server.app.db, log: createLog('silent', false), signal: new AbortController().signal }
  for (const job of eventsSlice().jobs ?? []) await job.run(context, undefined as never)
}

it('tells the community of a new event, and whoever is going that it has started', async () => {
  const { communityId } = await createCommunity(ann, { displayName: 'Birds' })
  for (const client of [bob, cat]) ok(await join(client, communityId))
  const { eventId } = await createEvent(ann, communityId, { title: 'Walk', type: 'in_person' })
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
  const { notificationTrayItems, events } = await readTray(bob)
  expect(notificationTrayItems).toMatchObject([created])
  // A published client shows the event with the item.
  expect(events).toMatchObject([{ eventId, title: 'Walk' }])
  expect(await itemsOf(ann)).toEqual([])

  ok(await respond(bob, eventId))
  await lookForStarts()
  expect(await itemsOf(bob)).toMatchObject([created])
  const { db } = server.app
  const startTime = new Date(Date.now() - 1000)
  await db.updateTable('events').set({ startTime }).where('id', '=', eventId).execute()
  await lookForStarts()
  await lookForStarts()
  const text = 'ann has started the event Walk.'
  expect(await itemsOf(bob)).toMatchObject([{ ...created, trayItemCategory: 'event_started', text }, created])
  expect(await itemsOf(cat)).toMatchObject([created])
  ok(await ann.delete(eventPath(eventId)))
  expect(await itemsOf(bob)).toEqual([])
})
