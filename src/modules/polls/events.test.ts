import { afterAll, beforeAll, expect, it } from 'vitest'
import { createCommunity } from '../../../test/factories/communities.ts'
import { countQueries } from '../../../test/harness/count-queries.ts'
import type { TestAnswer, TestClient } from '../../../test/harness/client.ts'
import { startTestServer, type TestServer } from '../../../test/harness/server.ts'
import { presentRealtime } from '../../delivery/realtime-sink.ts'
import { createAssembler } from '../../kernel/envelope/assembler.ts'
import { registerSlots } from '../../kernel/envelope/shape.ts'
import { filesSlice } from '../files/index.ts'
import { usersSlice } from '../users/index.ts'
import { pollEvents } from './events.ts'
import { pollSlots } from './resource.ts'

type Body = TestAnswer['body']

let server: TestServer
let alice: TestClient
let bob: TestClient
beforeAll(async () => {
  server = await startTestServer()
  alice = await server.as('alice')
  bob = await server.as('bob')
})
afterAll(() => server.close())

async function makePoll(): Promise<Body> {
  const answers = ['yes', 'no'].map((data) => ({ dataType: 'text', data }))
  const { body } = await alice.post('/api/v3/polls', { question: 'Tea?', answers })
  return body.polls[0]
}
const post = async (poll: Body, target: object) =>
  (await alice.post('/api/v3/posts', { ...target, dataType: 'poll', data: { pollId: poll.pollId } })).body
    .posts[0]
const url = (poll: Body, rest = '') => `/api/v3/polls/${poll.pollId}${rest}`

/** What was written to the outbox of a poll, with who hears of it and what they are sent. */
async function happened(poll: Body) {
  const rows = await server.app.db
    .selectFrom('outboxEvents')
    .selectAll()
    .where('name', 'like', 'poll.%')
    .orderBy('seq')
    .execute()
  const own = rows.filter((row) => (row.subject as { id: string }).id === poll.pollId)
  const files = filesSlice({ baseUrl: () => '' } as Parameters<typeof filesSlice>[0])
  const assemble = createAssembler(registerSlots([pollSlots, usersSlice([]).slots!, files.slots!]))
  return Promise.all(
    own.map(async (row) => {
      const definition = pollEvents.find(({ name }) => name === row.name)!
      const event = { ...row, position: 1, definition }
      const [message] = await presentRealtime(assemble, server.app.db, [event])
      const sent = message && JSON.parse(message.json)
      return {
        sent: sent && { event: sent.eventType, path: sent.path, data: sent.data },
        audiences: row.audiences,
        actorId: row.actorId,
        webhooks: definition.webhooks.map(({ name }) => name),
      }
    }),
  )
}

it('are heard on the topics of the post and of the attached one, with nothing personal', async () => {
  const poll = await makePoll()
  const { path, children } = await post(poll, { targetType: 'user' })
  const audiences = [path, path.replace(/[^/]+$/, children[0])]
  const ids = poll.answers.map((answer: Body) => answer.id)
  await bob.post(url(poll, '/votes'), { answerIds: [ids[0]] })
  await bob.post(url(poll, '/votes'), { answerIds: [ids[0]] })
  await bob.put(url(poll, '/votes'), { answerIds: [] })
  await alice.put(url(poll), { status: 'closed' })
  await alice.put(url(poll), { status: 'closed' })
  await alice.delete(url(poll))

  const events = await happened(poll)
  expect(events.map(({ sent, ...rest }) => ({ event: sent?.event, ...rest }))).toEqual([
    { event: undefined, audiences: [], actorId: alice.id, webhooks: ['poll.didCreate'] },
    { event: 'poll.updated', audiences, actorId: bob.id, webhooks: ['poll.didVote'] },
    { event: 'poll.updated', audiences, actorId: bob.id, webhooks: ['poll.didUpdate'] },
    { event: 'poll.updated', audiences, actorId: alice.id, webhooks: ['poll.didUpdate'] },
    { event: 'poll.deleted', audiences, actorId: alice.id, webhooks: [] },
  ])
  const { data } = events.at(-1)!.sent
  expect(data).toMatchObject({
    polls: [{ pollId: poll.pollId, status: 'closed', isDeleted: true, answers: [{}, {}] }],
    users: [{ userId: 'alice' }],
    files: [],
  })
  // Personal fields apart, what is sent is what its reader would read.
  const read = (await bob.get(url(poll))).body.polls[0]
  delete read.isVoted
  for (const answer of read.answers) delete answer.isVotedByUser
  expect(data.polls).toEqual([read])
})

it('are heard by nobody while the post waits for review or is not there', async () => {
  const { communityId } = await createCommunity(bob, {
    needApprovalOnPostCreation: true,
    userIds: ['alice'],
  })
  const poll = await makePoll()
  const answerIds = [poll.answers[0].id]
  await alice.post(url(poll, '/votes'), { answerIds })
  const shown = await post(poll, { targetType: 'community', targetId: communityId })
  expect(shown.feedType).toBe('reviewing')
  await alice.put(url(poll, '/votes'), { answerIds: [] })
  expect((await happened(poll)).map(({ audiences }) => audiences)).toEqual([[], [], []])
})

it('refuses blocked words in question, title and answers', async () => {
  const admin = await server.asAdmin()
  const { status, body } = await admin.post('/api/v3/blocklists', { regexs: ['swordfish'] })
  expect(status, JSON.stringify(body)).toBe(200)
  const answers = ['yes', 'no'].map((data) => ({ dataType: 'text', data }))
  const bad = [
    { question: 'a swordfish?', answers },
    { question: 'a fish?', title: 'swordfish', answers },
    { question: 'a fish?', answers: [...answers, { dataType: 'text', data: 'swordfish' }] },
  ]
  for (const poll of bad) {
    expect((await alice.post('/api/v3/polls', poll)).body.code, JSON.stringify(poll)).toBe(400308)
  }
})

it('reads as many voters as there are with as many queries', async () => {
  const poll = await makePoll()
  await post(poll, { targetType: 'user' })
  const answerIds = [poll.answers[0].id]
  // The dispatcher asks the database too, now and then: the lowest of three counts is the request's own.
  const cost = async () => {
    await server.settled()
    const work = () => bob.get(url(poll, `/answers/${answerIds[0]}`), { options: { limit: 50 } })
    return Math.min(await countQueries(work), await countQueries(work), await countQueries(work))
  }
  await bob.post(url(poll, '/votes'), { answerIds })
  const one = await cost()
  for (let i = 0; i < 20; i++) await (await server.as(`voter-${i}`)).post(url(poll, '/votes'), { answerIds })
  expect(await cost()).toBe(one)
})
