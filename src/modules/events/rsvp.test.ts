import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createCommunity, join, path as communityPath } from '../../../test/factories/communities.ts'
import { createEvent, path, queryEvents, respond } from '../../../test/factories/events.ts'
import type { TestClient } from '../../../test/harness/client.ts'
import { listen } from '../../../test/harness/listener.ts'
import { startTestServer, type TestServer } from '../../../test/harness/server.ts'
import { inTransaction } from '../../kernel/database.ts'
import { setClock } from '../../platform/clock.ts'
import { createPost } from '../posts/index.ts'
import { createEvent as openEvent } from './actions.ts'

let server: TestServer
let mia: TestClient
let alice: TestClient
let bob: TestClient
let stranger: TestClient
let communityId: string
let eventId: string
beforeAll(async () => {
  server = await startTestServer()
  ;[mia, alice, bob, stranger] = (await Promise.all(
    ['mia', 'alice', 'bob', 'stranger'].map((name) => server.as(name)),
  )) as [TestClient, TestClient, TestClient, TestClient]
  communityId = (await createCommunity(mia, { userIds: ['alice', 'bob'] })).communityId
  eventId = (await createEvent(mia, communityId)).eventId
})
afterEach(() => setClock())
afterAll(() => server.close())

const change = (client: TestClient, status: string, id = eventId) => client.put(path(id, '/rsvp'), { status })
const count = async (id = eventId) => (await mia.get(path(id))).body.events[0].rsvpCount
const mine = (client: TestClient, id = eventId) => client.get(path(id, '/me/rsvp'))
const codeOf = ({ body, status }: { body: { code?: number }; status: number }) => body.code ?? status

it('is given, read and changed; those who go are counted', async () => {
  expect(codeOf(await mine(alice))).toBe(400400)
  expect(codeOf(await change(alice, 'going'))).toBe(400400)
  const { body } = await respond(alice, eventId)
  const [response] = body.eventResponses
  expect(response).toMatchObject({
    eventId,
    userId: 'alice',
    userPublicId: 'alice',
    userInternalId: alice.id,
    status: 'going',
    respondedAt: { createdAt: response.createdAt, updatedAt: response.createdAt },
  })
  expect(body.events[0]).toMatchObject({ eventId, rsvpCount: 1 })
  expect(body.users.map((user: { userId: string }) => user.userId).sort()).toEqual(['alice', 'mia'])
  expect((await mine(alice)).body.eventResponses).toEqual([response])
  const changed = (await change(alice, 'not_going')).body.eventResponses[0]
  expect(changed).toMatchObject({ status: 'not_going', createdAt: response.createdAt })
  expect(await count()).toBe(0)
  await respond(alice, eventId)
  await respond(alice, eventId)
  expect(await count()).toBe(1)
  await respond(bob, eventId, 'not_going')
  expect(await count()).toBe(1)
  expect(codeOf(await respond(alice, eventId, 'maybe'))).toBe(500000)
  expect(codeOf(await respond(alice, 'nope'))).toBe(400400)
})

it('lists who answered, the latest first, in pages that join', async () => {
  const { eventId: id } = await createEvent(mia, communityId)
  await respond(alice, id)
  await respond(bob, id, 'not_going')
  await respond(mia, id)
  const list = async (query: object) => {
    const { body } = await stranger.get(path(id, '/rsvp'), { ...query })
    const names = body.eventResponses.map((one: { userId: string }) => one.userId) as string[]
    return { names, next: body.paging.next as string | undefined }
  }
  expect((await list({})).names).toEqual(['mia', 'bob', 'alice'])
  expect((await list({ status: 'going' })).names).toEqual(['mia', 'alice'])
  expect((await list({ status: 'not_going' })).names).toEqual(['bob'])
  const first = await list({ options: { limit: 2 } })
  const second = await list({ options: { token: first.next } })
  expect([...first.names, ...second.names]).toEqual(['mia', 'bob', 'alice'])
  expect(second.next).toBeUndefined()
})

it('lists the events one answered to', async () => {
  const dora = await server.as('dora')
  await join(dora, communityId)
  const ids: string[] = []
  for (const status of ['going', 'not_going', 'going']) {
    const { eventId: id } = await createEvent(mia, communityId)
    await respond(dora, id, status)
    ids.unshift(id)
  }
  const my = (query: object) => queryEvents(dora, { ...query }, '/api/v1/events/me/rsvps')
  expect((await my({})).ids).toEqual(ids)
  expect((await my({ status: 'going' })).ids).toEqual([ids[0], ids[2]])
  expect((await my({ status: 'not_going' })).ids).toEqual([ids[1]])
  const first = await my({ options: { limit: 2 } })
  const second = await my({ options: { token: first.body.paging.next } })
  expect([...first.ids, ...second.ids]).toEqual(ids)
  await mia.delete(path(ids[1]!))
  expect((await my({})).ids).toEqual([ids[0], ids[2]])
})

it('is for members, until the event starts', async () => {
  const { eventId: id } = await createEvent(mia, communityId)
  expect(codeOf(await respond(stranger, id))).toBe(400301)
  await mia.put(communityPath(communityId, '/users/ban'), { userIds: ['stranger'] })
  expect(codeOf(await respond(stranger, id))).toBe(400304)
  await respond(alice, id)
  setClock(() => Date.now() + 25 * 3_600_000)
  expect(codeOf(await change(alice, 'not_going', id))).toBe(400900)
  expect(codeOf(await respond(bob, id))).toBe(400900)
  setClock()
  await mia.put(path(id), { status: 'cancelled' })
  expect(codeOf(await change(alice, 'not_going', id))).toBe(400900)
  expect(await count(id)).toBe(1)
})

it("of a person's event is for whoever reads their page", async () => {
  const { eventId: id } = await createEvent(alice, 'alice', { originType: 'user' })
  expect(codeOf(await respond(bob, id))).toBe(200)
  await server.as('eve')
  expect((await (await server.as('eve')).get(path(id))).body.events[0].rsvpCount).toBe(1)
})

it('lets those who go talk about the event', async () => {
  const { eventId: id, discussionCommunityId } = await createEvent(mia, communityId)
  const say = (client: TestClient) =>
    client.post('/api/v4/posts', {
      targetType: 'community',
      targetId: discussionCommunityId,
      data: { text: 'See you there' },
    })
  expect(codeOf(await say(bob))).toBe(400301)
  await respond(bob, id)
  expect(codeOf(await say(bob))).toBe(200)
  await mia.put(communityPath(discussionCommunityId, '/users/ban'), { userIds: ['alice'] })
  expect(codeOf(await respond(alice, id))).toBe(200)
  expect(codeOf(await say(alice))).toBe(400304)
})

it('is told of at the community, with the new count', async () => {
  const { eventId: id } = await createEvent(mia, communityId)
  const listener = await listen(server, alice, [`hubbub/social/community/${communityId}`])
  await respond(bob, id)
  await change(bob, 'not_going', id)
  const created = await listener.next('event.rsvp.created')
  expect(Object.keys(created.data).sort()).toEqual(['eventResponses', 'events', 'files', 'users'])
  const updated = await listener.next('event.rsvp.updated')
  expect(updated.data).toMatchObject({
    eventResponses: [{ userId: 'bob', status: 'not_going' }],
    events: [{ eventId: id, rsvpCount: 0 }],
  })
  listener.close()
})

it('of many at once is counted right', async () => {
  const people = await Promise.all(Array.from({ length: 8 }, (_, i) => server.as(`guest${i}`)))
  await Promise.all(people.map((person) => join(person, communityId)))
  const { eventId: id } = await createEvent(mia, communityId)
  await Promise.all(
    people.flatMap((person, i) => [
      respond(person, id),
      respond(person, id, i % 2 ? 'not_going' : 'going'),
      respond(person, id),
    ]),
  )
  const { rows } = await sql<{ told: number; counted: number }>`
    select rsvp_count as told, (select count(*) from event_responses
      where event_id = events.id and status = 'going')::int as counted
    from events where id = ${id}`.execute(server.app.db)
  expect(rows[0]!.told).toBe(rows[0]!.counted)
  const { rows: members } = await sql<{ told: number; counted: number }>`
    select members_count as told, (select count(*) from community_members
      where community_id = communities.id and membership = 'member')::int as counted
    from communities where event_id = ${id}`.execute(server.app.db)
  expect(members[0]!.told).toBe(members[0]!.counted)
})

describe('a virtual event held on this server', () => {
  it('gets a live stream, and shows its post', async () => {
    const viewer = {
      id: mia.id,
      userId: 'mia',
      kind: 'signed-in' as const,
      roles: [],
      permissions: new Set<string>(),
      sessionId: '',
    }
    const body = {
      title: 'On air',
      type: 'virtual' as const,
      startTime: new Date(Date.now() + 3_600_000).toISOString(),
      originType: 'community' as const,
      originId: communityId,
    }
    const id = await inTransaction(server.app.db, (tx) =>
      openEvent(tx, viewer, body, (inside, host, { discussionCommunityId: targetId, title }) =>
        createPost(inside, host, { targetType: 'community', targetId, data: { text: title } }, []),
      ),
    )
    const { body: shown } = await bob.get(path(id))
    expect(shown.posts).toMatchObject([{ postId: shown.events[0].postId, data: { text: 'On air' } }])
  })
})
