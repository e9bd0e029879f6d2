import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import sharp from 'sharp'
import { createCommunity, join } from '../../../test/factories/communities.ts'
import { uploadFile } from '../../../test/factories/files.ts'
import type { TestAnswer, TestClient } from '../../../test/harness/client.ts'
import { startTestServer, type TestServer } from '../../../test/harness/server.ts'
import { inTransaction } from '../../kernel/database.ts'
import { setClock } from '../../platform/clock.ts'
import { requireOwnPoll } from './index.ts'

type Body = TestAnswer['body']
type Fields = Record<string, unknown>

let server: TestServer
let alice: TestClient
let bob: TestClient
let carol: TestClient
let admin: TestClient
let pictureId: string
let textFileId: string
beforeAll(async () => {
  server = await startTestServer()
  alice = await server.as('alice')
  bob = await server.as('bob')
  carol = await server.as('carol')
  admin = await server.asAdmin()
  const picture = await sharp({ create: { width: 4, height: 4, channels: 3, background: 'red' } })
    .png()
    .toBuffer()
  pictureId = await uploadFile(
    alice,
    'images',
    new Blob([new Uint8Array(picture)], { type: 'image/png' }),
    'a.png',
  )
  textFileId = await uploadFile(alice, 'files', new Blob(['text'], { type: 'text/plain' }), 'a.txt')
})
afterAll(() => server.close())

const words = (...texts: string[]) => texts.map((data) => ({ dataType: 'text', data }))
const make = (client: TestClient, fields: Fields = {}) =>
  client.post('/api/v3/polls', {
    question: 'Tea?',
    answerType: 'single',
    answers: words('yes', 'no', 'later'),
    ...fields,
  })
const url = (poll: Body, rest = '') => `/api/v3/polls/${poll.pollId}${rest}`

/** A poll of alice's, shown on her page or in a community. */
async function posted(fields: Fields = {}, target: Fields = { targetType: 'user' }) {
  const poll = (await make(alice, fields)).body.polls[0]
  const { status, body } = await alice.post('/api/v3/posts', {
    ...target,
    dataType: 'poll',
    data: { text: 'a poll', pollId: poll.pollId },
  })
  expect(status, JSON.stringify(body)).toBe(200)
  return { poll, post: body.posts[0], ids: poll.answers.map((answer: Body) => answer.id) as string[] }
}
const vote = (client: TestClient, poll: Body, answerIds: string[]) =>
  client.post(url(poll, '/votes'), { pollId: poll.pollId, answerIds })
const change = (client: TestClient, poll: Body, answerIds: string[]) =>
  client.put(url(poll, '/votes'), { pollId: poll.pollId, answerIds })
const read = async (client: TestClient, poll: Body) => (await client.get(url(poll))).body.polls[0]
const counts = (poll: Body) => poll.answers.map((answer: Body) => answer.voteCount)
const sum = (numbers: number[]) => numbers.reduce((total, n) => total + n, 0)
const code = ({ status, body }: TestAnswer) => [status, body.code]

describe('making', () => {
  it('answers every field', async () => {
    const { status, body } = await make(alice, { title: 'Drinks', closedIn: 86_400_000 })
    expect(status).toBe(200)
    const [poll] = body.polls
    expect(poll).toEqual({
      pollId: expect.stringMatching(/^[0-9a-f]{24}$/),
      userId: 'alice',
      userInternalId: alice.id,
      userPublicId: 'alice',
      title: 'Drinks',
      question: 'Tea?',
      answerType: 'single',
      answers: ['yes', 'no', 'later'].map((data) => ({
        id: expect.stringMatching(/^[0-9a-f]{24}$/),
        dataType: 'text',
        data,
        voteCount: 0,
        isVotedByUser: false,
      })),
      status: 'open',
      closedIn: 86_400_000,
      closedAt: new Date(Date.parse(poll.createdAt) + 86_400_000).toISOString(),
      isVoted: false,
      isDeleted: false,
      deletedAt: null,
      createdAt: expect.any(String),
      updatedAt: poll.createdAt,
    })
    expect(body.users).toMatchObject([{ userId: 'alice' }])
    expect((await alice.get(url(poll))).body).toEqual(body)
  })

  it('takes pictures, several answers, the older name of the question, and no end', async () => {
    const { body } = await alice.post('/api/v3/polls', {
      text: 'Which?',
      answerType: 'multiple',
      closedIn: 0,
      answers: [
        { dataType: 'image', fileId: pictureId, data: 'red' },
        { dataType: 'image', fileId: pictureId },
      ],
    })
    expect(body.polls).toMatchObject([
      { question: 'Which?', answerType: 'multiple', closedIn: null, closedAt: null, title: null },
    ])
    expect(body.polls[0].answers).toMatchObject([
      { dataType: 'image', fileId: pictureId, data: 'red' },
      { dataType: 'image', fileId: pictureId, data: '' },
    ])
    expect(body.files).toMatchObject([{ fileId: pictureId }])
  })

  const tenYears = 315_360_000_000
  const picture = (fileId: unknown) => ({ answers: [{ dataType: 'image', fileId }, ...words('b')] })
  it.each<[string, () => Fields, unknown[]]>([
    ['a question of 500', () => ({ question: 'q'.repeat(500) }), [200, undefined]],
    ['a question of 501', () => ({ question: 'q'.repeat(501) }), [422, 500000]],
    ['an empty question', () => ({ question: '' }), [422, 500000]],
    ['no question', () => ({ question: undefined }), [422, 500000]],
    ['a title of 501', () => ({ title: 't'.repeat(501) }), [422, 500000]],
    ['1 answer', () => ({ answers: words('a') }), [422, 500000]],
    ['10 answers', () => ({ answers: words(...'abcdefghij') }), [200, undefined]],
    ['11 answers', () => ({ answers: words(...'abcdefghijk') }), [422, 500000]],
    ['an answer of 200', () => ({ answers: words('a'.repeat(200), 'b') }), [200, undefined]],
    ['an answer of 201', () => ({ answers: words('a'.repeat(201), 'b') }), [422, 500000]],
    ['an empty answer', () => ({ answers: words('', 'b') }), [422, 500000]],
    [
      'an unknown kind of answer',
      () => ({ answers: [{ dataType: 'video', data: 'a' }, ...words('b')] }),
      [422, 500000],
    ],
    ['an unknown type', () => ({ answerType: 'some' }), [422, 500000]],
    ['the longest time', () => ({ closedIn: tenYears }), [200, undefined]],
    ['one ms longer', () => ({ closedIn: tenYears + 1 }), [422, 500000]],
    ['a negative time', () => ({ closedIn: -1 }), [422, 500000]],
    ['a picture without a file', () => picture(undefined), [422, 500000]],
    ['a picture nobody uploaded', () => picture('f'.repeat(24)), [404, 400400]],
    ['a picture that is none', () => picture(textFileId), [400, 400000]],
  ])('%s', async (_what, fields, answer) => {
    expect(code(await make(alice, fields()))).toEqual(answer)
  })
})

describe('voting', () => {
  it('replaces a single choice, counts it, and shows each their own', async () => {
    const { poll, ids } = await posted()
    const first = await vote(bob, poll, [ids[0]!])
    expect(first.status).toBe(200)
    expect(first.body.polls[0]).toMatchObject({
      isVoted: true,
      answers: [{ voteCount: 1, isVotedByUser: true }, { voteCount: 0, isVotedByUser: false }, {}],
    })
    await vote(bob, poll, [ids[0]!])
    await vote(bob, poll, [ids[1]!])
    await vote(alice, poll, [ids[1]!])
    expect(counts(await read(carol, poll))).toEqual([0, 2, 0])
    expect(await read(carol, poll)).toMatchObject({ isVoted: false })
    const withdrawn = await change(bob, poll, [])
    expect(withdrawn.body.polls[0]).toMatchObject({
      isVoted: false,
      answers: [{}, { isVotedByUser: false }, {}],
    })
    expect(counts(withdrawn.body.polls[0])).toEqual([0, 1, 0])
  })

  it('takes several answers of a multiple choice, each once', async () => {
    const { poll, ids } = await posted({ answerType: 'multiple' })
    expect(counts((await vote(bob, poll, [ids[0]!, ids[2]!, ids[0]!])).body.polls[0])).toEqual([1, 0, 1])
    expect(counts((await change(bob, poll, [ids[1]!, ids[2]!])).body.polls[0])).toEqual([0, 1, 1])
  })

  it('refuses what is no vote', async () => {
    const { poll, ids } = await posted()
    const other = await posted()
    expect(code(await vote(bob, poll, []))).toEqual([400, 400000])
    expect(code(await vote(bob, poll, ids.slice(0, 2)))).toEqual([400, 400000])
    expect(code(await vote(bob, poll, [other.ids[0]!]))).toEqual([400, 400000])
    expect(code(await bob.post(url(poll, '/votes'), {}))).toEqual([422, 500000])
    expect(code(await vote(bob, { pollId: 'f'.repeat(24) }, ids.slice(0, 1)))).toEqual([404, 400400])
    expect(counts(await read(bob, poll))).toEqual([0, 0, 0])
  })

  it('ends in one choice and true counts when many votes meet', async () => {
    const { poll, ids } = await posted()
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, i) => vote(i % 2 ? bob : carol, poll, [ids[i % 3]!])),
    )
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
    expect(sum(counts(await read(bob, poll)))).toBe(2)
    for (const client of [bob, carol]) {
      const shown = await read(client, poll)
      const own = shown.answers.filter((answer: Body) => answer.isVotedByUser)
      expect(own).toHaveLength(1)
      expect(own[0].voteCount).toBeGreaterThan(0)
    }
  })

  it('never takes a vote after a close that met it', async () => {
    const { poll, ids } = await posted()
    const [closed, ...votes] = await Promise.all([
      alice.put(url(poll), { status: 'closed' }),
      vote(bob, poll, [ids[0]!]),
      vote(carol, poll, [ids[1]!]),
    ])
    expect(closed.status).toBe(200)
    const taken = votes.filter(({ status }) => status === 200)
    expect(votes.filter(({ status }) => status !== 200).map(code)).toEqual(
      Array.from({ length: 2 - taken.length }, () => [400, 400000]),
    )
    expect(sum(counts(await read(bob, poll)))).toBe(taken.length)
  })
})

describe('who voted', () => {
  it('is told in pages, both ways', async () => {
    const { poll, ids } = await posted({ answerType: 'multiple' })
    const names = ['voter-1', 'voter-2', 'voter-3', 'voter-4', 'voter-5']
    for (const name of names) await vote(await server.as(name), poll, ids.slice(0, 2))
    await vote(bob, poll, [ids[2]!])
    const pages = async (query: Fields) => {
      const found: Body[] = []
      for (let token: string | undefined; ;) {
        const { status, body } = await carol.get(url(poll, `/answers/${ids[0]}`), {
          ...query,
          options: { limit: 2, token },
        })
        expect(status).toBe(200)
        expect(body.polls).toMatchObject([{ pollId: poll.pollId }])
        for (const { userId } of body.UsersAnswered)
          expect(body.users).toContainEqual(expect.objectContaining({ userId }))
        found.push(...body.UsersAnswered)
        token = body.paging.next
        if (!token) return found
      }
    }
    const newest = await pages({})
    expect(newest.map(({ userId }) => userId)).toEqual([...names].reverse())
    expect(newest[0]).toEqual({
      userId: 'voter-5',
      pollId: poll.pollId,
      answerIds: ids.slice(0, 2),
      createdAt: expect.any(String),
    })
    expect((await pages({ sortBy: 'firstCreated' })).map(({ userId }) => userId)).toEqual(names)
    expect(code(await carol.get(url(poll, `/answers/${'f'.repeat(24)}`)))).toEqual([404, 400400])
    expect(code(await carol.get(url(poll, `/answers/${ids[0]}`), { options: { limit: 101 } }))).toEqual([
      422, 500000,
    ])
  })
})

describe('closing', () => {
  it('is for its maker and administrators, for good, and ends voting', async () => {
    const { poll, ids } = await posted()
    await vote(bob, poll, [ids[0]!])
    expect(code(await bob.put(url(poll), { status: 'closed' }))).toEqual([403, 400300])
    expect(code(await alice.put(url(poll), { status: 'open' }))).toEqual([422, 500000])
    expect(code(await alice.put(url(poll), {}))).toEqual([422, 500000])
    const { status, body } = await alice.put(url(poll), { status: 'closed' })
    expect(status).toBe(200)
    expect(body).toMatchObject({ polls: [{ status: 'closed' }], users: [{ userId: 'alice' }], roles: [] })
    expect(Date.parse(body.polls[0].closedAt)).toBeGreaterThanOrEqual(Date.parse(poll.createdAt))
    expect(code(await vote(carol, poll, [ids[0]!]))).toEqual([400, 400000])
    expect(code(await change(bob, poll, []))).toEqual([400, 400000])
    const again = await admin.put(url(poll), { status: 'closed' })
    expect(again.body.polls).toMatchObject([{ closedAt: body.polls[0].closedAt }])
    expect(counts(await read(bob, poll))).toEqual([1, 0, 0])
  })

  it('happens by itself when the time has come', async () => {
    const { poll, ids } = await posted({ closedIn: 60_000 })
    const closesAt = Date.parse(poll.closedAt)
    onTestFinished(() => setClock())
    setClock(() => closesAt - 1)
    expect((await vote(bob, poll, [ids[0]!])).status).toBe(200)
    expect(await read(bob, poll)).toMatchObject({ status: 'open' })
    setClock(() => closesAt)
    expect(await read(bob, poll)).toMatchObject({ status: 'closed', closedAt: poll.closedAt })
    expect(code(await vote(carol, poll, [ids[0]!]))).toEqual([400, 400000])
    await alice.put(url(poll), { status: 'closed' })
    expect(await read(bob, poll)).toMatchObject({ closedAt: poll.closedAt })
  })
})

describe('deleting', () => {
  it('is for its maker and administrators; what is deleted stays readable', async () => {
    for (const client of [alice, admin]) {
      const { poll, ids } = await posted()
      expect(code(await bob.delete(url(poll)))).toEqual([403, 400300])
      const { status, body } = await client.delete(url(poll))
      expect([status, body]).toEqual([200, { status: 'success', success: true, data: { success: true } }])
      expect(await read(alice, poll)).toMatchObject({ isDeleted: true, deletedAt: expect.any(String) })
      expect(code(await client.delete(url(poll)))).toEqual([404, 400400])
      expect(code(await vote(bob, poll, [ids[0]!]))).toEqual([404, 400400])
      expect(code(await client.put(url(poll), { status: 'closed' }))).toEqual([404, 400400])
    }
  })
})

describe('who may see a poll', () => {
  it('its maker and administrators until it is posted', async () => {
    const poll = (await make(alice)).body.polls[0]
    const ids = [poll.answers[0].id]
    for (const answer of [
      await bob.get(url(poll)),
      await vote(bob, poll, ids),
      await bob.put(url(poll), { status: 'closed' }),
      await bob.delete(url(poll)),
      await bob.get(url(poll, `/answers/${ids[0]}`)),
    ]) {
      expect(code(answer)).toEqual([404, 400400])
    }
    expect((await admin.get(url(poll))).status).toBe(200)
  })

  it('is not opened by the post of someone else', async () => {
    const poll = (await make(alice)).body.polls[0]
    await bob.post('/api/v3/posts', { targetType: 'user', dataType: 'poll', data: { pollId: poll.pollId } })
    expect(code(await carol.get(url(poll)))).toEqual([404, 400400])
  })

  it('members of its hidden community; voting is for members of an open one too', async () => {
    const hidden = await createCommunity(alice, { isPublic: false, userIds: ['bob'] })
    const secret = await posted({}, { targetType: 'community', targetId: hidden.communityId })
    expect((await bob.get(url(secret.poll))).status).toBe(200)
    expect((await vote(bob, secret.poll, [secret.ids[0]!])).status).toBe(200)
    expect(code(await carol.get(url(secret.poll)))).toEqual([404, 400400])
    expect(code(await vote(carol, secret.poll, [secret.ids[0]!]))).toEqual([404, 400400])

    const open = await createCommunity(alice)
    const { poll, post, ids } = await posted({}, { targetType: 'community', targetId: open.communityId })
    expect((await carol.get(url(poll))).status).toBe(200)
    expect(code(await vote(carol, poll, [ids[0]!]))).toEqual([403, 400301])
    await join(carol, open.communityId)
    expect((await vote(carol, poll, [ids[0]!])).status).toBe(200)
    await alice.delete(`/api/v4/posts/${post.postId}`)
    expect(code(await vote(carol, poll, [ids[1]!]))).toEqual([404, 400400])
  })
})

describe('the door for posts', () => {
  const check = async (client: TestClient, pollId: string) =>
    inTransaction(server.app.db, (tx) =>
      requireOwnPoll(
        tx,
        {
          id: client.id,
          userId: client.userId,
          kind: 'signed-in',
          roles: [],
          permissions: new Set(),
          sessionId: '',
        },
        pollId,
      ),
    )

  it("opens for one's own living poll that no living post shows", async () => {
    const poll = (await make(alice)).body.polls[0]
    await check(alice, poll.pollId)
    await expect(check(bob, poll.pollId)).rejects.toMatchObject({ reason: 'notFound' })
    await expect(check(alice, 'f'.repeat(24))).rejects.toMatchObject({ reason: 'notFound' })
    const shown = await posted()
    await expect(check(alice, shown.poll.pollId)).rejects.toMatchObject({ reason: 'conflict' })
    await alice.delete(`/api/v4/posts/${shown.post.postId}`)
    await check(alice, shown.poll.pollId)
    await alice.delete(url(poll))
    await expect(check(alice, poll.pollId)).rejects.toMatchObject({ reason: 'notFound' })
  })
})
