import { describe, expect, it } from 'vitest'
import { channelPath, createChannel, ok, refusal, say } from '../../../test/factories/chat.ts'
import type { TestAnswer, TestClient } from '../../../test/harness/client.ts'
import { startWithPeople } from '../../../test/harness/people.ts'
import { inTransaction } from '../../kernel/database.ts'
import { lockChannels } from '../channels/index.ts'

const { server, alice, bob, carol } = await startWithPeople()

const group = (fields = {}) => createChannel(alice, { userIds: ['bob'], ...fields })
const v3 = (client: TestClient, channelId: string, fields: object) =>
  client.post('/api/v3/messages', { channelId, ...fields })
const v5 = (client: TestClient, messageFeedId: string, fields: object) =>
  client.post('/api/v5/messages', { messageFeedId, dataType: 'text', ...fields })
const segmentsOf = (answers: TestAnswer[]) =>
  answers
    .map(({ body }) => body.messages[0].channelSegment ?? body.messages[0].segment)
    .toSorted((a, b) => a - b)
const upTo = (n: number) => Array.from({ length: n }, (_, i) => i + 1)

describe('sending again', () => {
  it('with the same messageId gives the same answer and one message', async () => {
    const { channelId } = await group()
    const body = { messageId: 'again-1', data: { text: 'once' } }
    const answers = await Promise.all(Array.from({ length: 20 }, () => v3(alice, channelId, body)))
    for (const answer of answers) expect(answer.body).toEqual(answers[0]!.body)
    expect(ok(await v3(alice, channelId, { ...body, data: { text: 'changed' } }))).toEqual(answers[0]!.body)
    expect(ok(await alice.get(channelPath(channelId))).channels[0].messageCount).toBe(1)
  })

  it('with the same referenceId too, in its channel and by its sender', async () => {
    const { channelInternalId } = await group()
    const other = await group()
    const send = (client: TestClient, feedId: string) =>
      v5(client, feedId, { referenceId: 'LOCAL_1', data: { text: 'x' } })
    const answers = await Promise.all(Array.from({ length: 20 }, () => send(alice, channelInternalId)))
    expect(new Set(answers.map(({ body }) => body.messages[0].messageId)).size).toBe(1)
    expect(
      segmentsOf([await send(bob, channelInternalId), await send(alice, other.channelInternalId)]),
    ).toEqual([1, 2])
  })

  it('shows what has become of the message since', async () => {
    const { channelId } = await group()
    await say(alice, channelId, 'x', { messageId: 'again-2' })
    await alice.post('/api/v2/reactions', {
      referenceId: 'again-2',
      referenceType: 'message',
      reactionName: 'like',
    })
    expect(ok(await v3(alice, channelId, { messageId: 'again-2' })).messages[0]).toMatchObject({
      reactions: { like: 1 },
      myReactions: ['like'],
    })
  })

  it('also when the sender may no longer write', async () => {
    const { channelId } = await group()
    const first = ok(await v3(bob, channelId, { messageId: 'again-3' }))
    await bob.delete(channelPath(channelId, '/leave'))
    expect(ok(await v3(bob, channelId, { messageId: 'again-3' }))).toEqual(first)
    expect(refusal(await v3(bob, channelId, { messageId: 'new' }))).toEqual([403, 400301])
  })

  it('refuses an id that belongs to another message', async () => {
    const { channelId } = await group()
    const other = await group()
    const said = await say(alice, channelId, 'x', { messageId: 'again-4' })
    expect(refusal(await v3(bob, channelId, { messageId: 'again-4' }))).toEqual([409, 400315])
    expect(refusal(await v3(alice, other.channelId, { messageId: 'again-4' }))).toEqual([409, 400315])
    expect(refusal(await v3(bob, channelId, { messageId: said._id }))).toEqual([409, 400315])
    // At once from two channels, whose messages are written by different batches.
    const raced = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        v3(alice, i % 2 ? channelId : other.channelId, { messageId: 'again-5' }),
      ),
    )
    expect(new Set(raced.map((answer) => answer.status))).toEqual(new Set([200, 409]))
    const places = await server.app.db
      .selectFrom('messages')
      .select('id')
      .where('messageId', '=', 'again-5')
      .execute()
    expect(places).toHaveLength(1)
  })
})

describe('segments', () => {
  it('are 1 to N, whoever sends at once, to whichever feed', async () => {
    const people = await Promise.all(Array.from({ length: 50 }, (_, i) => server.as(`sender-${i}`)))
    const { channelId, channelInternalId } = await createChannel(alice, {
      userIds: people.map((one) => one.userId),
    })
    const side = ok(await alice.post('/api/v5/message-feeds', { channelId: channelInternalId, name: 'side' }))
    const feeds = [channelInternalId, side.messageFeeds[0].messageFeedId]
    const answers = await Promise.all(
      people.flatMap((one, i) =>
        [0, 1, 2, 3].map((k) => (k % 2 ? v3(one, channelId, {}) : v5(one, feeds[(i + k / 2) % 2]!, {}))),
      ),
    )
    expect(segmentsOf(answers)).toEqual(upTo(200))
    const stored = await server.app.db
      .selectFrom('messages')
      .select('segment')
      .where('channelId', '=', channelInternalId)
      .orderBy('segment')
      .execute()
    expect(stored.map((row) => row.segment)).toEqual(upTo(200))
    expect(ok(await alice.get(channelPath(channelId))).channels[0].messageCount).toBe(200)
  })

  it('leave no gap where messages are refused', async () => {
    const { channelId } = await group()
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, i) =>
        [
          () => v3(alice, channelId, {}),
          () => v3(carol, channelId, {}),
          () => v3(bob, channelId, { parentId: 'none' }),
        ][i % 3]!(),
      ),
    )
    expect(answers.map((answer) => answer.status)).toEqual(
      Array.from({ length: 60 }, (_, i) => [200, 403, 404][i % 3]),
    )
    expect(segmentsOf(answers.filter((answer) => answer.status === 200))).toEqual(upTo(20))
  })

  it('grow in each of many channels by themselves', async () => {
    const channels = await Promise.all(Array.from({ length: 10 }, () => group()))
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, i) => v3(i % 3 ? alice : bob, channels[i % 10]!.channelId, {})),
    )
    for (let c = 0; c < 10; c++) expect(segmentsOf(answers.filter((_, i) => i % 10 === c))).toEqual(upTo(10))
  })
})

describe('a channel that is locked', () => {
  it('waits alone: others go on, and nothing of its own is lost', async () => {
    const locked = await group()
    const others = await Promise.all(Array.from({ length: 8 }, () => group()))
    let release: () => void = () => undefined
    const held = new Promise<void>((resolve) => (release = resolve))
    const holding = inTransaction(server.app.db, async (tx) => {
      await lockChannels(tx, [locked.channelInternalId])
      await held
    })
    const waiting = Promise.all(Array.from({ length: 5 }, () => v3(alice, locked.channelId, {})))
    const free = await Promise.all(others.map(({ channelId }) => v3(alice, channelId, {})))
    expect(free.map((answer) => answer.status)).toEqual(Array(8).fill(200))
    release()
    await holding
    expect(segmentsOf(await waiting)).toEqual(upTo(5))
  })
})
