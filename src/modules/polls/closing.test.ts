import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { moveClock, resetClock } from '../../../test/harness/clock.ts'
import { listen } from '../../../test/harness/listener.ts'
import { startTestServer, type TestServer } from '../../../test/harness/server.ts'
import type { TestAnswer, TestClient } from '../../../test/harness/client.ts'

let server: TestServer
let alice: TestClient
let bob: TestClient
beforeAll(async () => {
  // Events are counted hours later.
  server = await startTestServer({ HUBBUB_EVENT_WINDOW_MINUTES: '10080' })
  alice = await server.as('alice')
  bob = await server.as('bob')
})
afterAll(() => server.close())
afterEach(() => resetClock())

const hour = 3_600_000

async function postPoll(closedIn: number | null = hour): Promise<TestAnswer['body']> {
  const answers = ['yes', 'no'].map((data) => ({ dataType: 'text', data }))
  const { body } = await alice.post('/api/v3/polls', { question: 'Tea?', answers, closedIn })
  const { pollId } = body.polls[0]
  const posted = await alice.post('/api/v4/posts', { dataType: 'poll', data: { pollId } })
  return { pollId, post: posted.body.posts[0] }
}

async function updatesOf(pollId: string) {
  const rows = await server.app.db
    .selectFrom('outboxEvents')
    .select(['actorId', 'subject'])
    .where('name', '=', 'poll.updated')
    .execute()
  return rows.filter(({ subject }) => (subject as { id: string }).id === pollId)
}

it('tells once that a poll is closed when its time comes', async () => {
  const { pollId, post } = await postPoll()
  const listener = await listen(server, bob, [post.path])
  await moveClock(server, hour - 60_000)
  expect(await updatesOf(pollId)).toEqual([])
  await moveClock(server, 61_000)
  const news = await listener.next('poll.updated')
  expect(news.data.polls).toMatchObject([{ pollId, status: 'closed' }])
  expect(news.path).toBe(post.path)
  listener.close()
  const { body } = await bob.get(`/api/v3/polls/${pollId}`)
  expect(body.polls[0].status).toBe('closed')
  expect(Date.parse(body.polls[0].updatedAt)).toBeGreaterThanOrEqual(Date.parse(body.polls[0].closedAt))
  // Wakes up again, and the clock jumps: it stays told.
  await moveClock(server, hour)
  await moveClock(server, -2 * hour)
  await moveClock(server, 3 * hour)
  expect(await updatesOf(pollId)).toEqual([{ actorId: null, subject: expect.anything() }])
})

it('tells of one that was closed before only then, and of a deleted one never', async () => {
  const closed = await postPoll()
  const deleted = await postPoll()
  const open = await postPoll(null)
  await alice.put(`/api/v3/polls/${closed.pollId}`, { status: 'closed' })
  await alice.delete(`/api/v3/polls/${deleted.pollId}`)
  await moveClock(server, 2 * hour)
  expect(await updatesOf(closed.pollId)).toEqual([{ actorId: alice.id, subject: expect.anything() }])
  expect(await updatesOf(deleted.pollId)).toEqual([])
  expect(await updatesOf(open.pollId)).toEqual([])
})

it('finds polls whose wake-up was lost', async () => {
  const { pollId } = await postPoll()
  await moveClock(server, 1)
  await server.app.db
    .updateTable('polls')
    .set({ closedAt: new Date(Date.now() - hour) })
    .where('id', '=', pollId)
    .execute()
  await moveClock(server, 120_000)
  expect(await updatesOf(pollId)).toHaveLength(1)
})
