import { afterEach, describe, expect, it } from 'vitest'
import {
  channelPath,
  converse,
  createMessageFeed,
  ok,
  openChannel,
  refusal,
  say,
} from '../../../test/factories/chat.ts'
import type { TestClient } from '../../../test/harness/client.ts'
import { listen, type Listener } from '../../../test/harness/listener.ts'
import { startWithPeople } from '../../../test/harness/people.ts'
import { setClock } from '../../platform/clock.ts'

const { server, alice, bob, carol } = await startWithPeople()
afterEach(() => setClock())

const muting = (channelId: string, whom = '') => `/api/v2/channel/${channelId}${whom}/mute`
const type = (who: TestClient, body: unknown) => who.post('/api/v1/typing', body)

/** Follows what reaches a member. What is broadcast before they are in the channel's group is heard by nobody. */
async function follow(member: TestClient, channelId: string): Promise<Listener> {
  const listener = await listen(server, member)
  await say(member, channelId, 'here')
  await listener.next('message.created')
  return listener
}

/** What was heard of typing before what was said last. */
async function heardBefore(listener: Listener, who: TestClient, channelId: string) {
  await say(who, channelId, 'done')
  await listener.next('message.created')
  return listener.heard.filter((news) => news.eventType === 'message.typing').map((news) => news.data)
}

describe('who types', () => {
  it('is told to the members of the channel, until when it holds, and stored nowhere', async () => {
    const { id, channelId } = await openChannel(alice, {}, bob)
    const [member, stranger] = await Promise.all([follow(bob, channelId), listen(server, carol)])
    const time = Date.now()
    setClock(() => time)
    ok(await type(alice, { channelId }))
    const news = await member.next('message.typing')
    expect(news.data).toEqual({
      channelId: id,
      channelPublicId: channelId,
      messageFeedId: id,
      userId: 'alice',
      userInternalId: alice.id,
      isTyping: true,
      expiresAt: new Date(time + 6000).toISOString(),
    })
    const stored = server.app.db.selectFrom('outboxEvents').select('seq').where('name', '=', 'message.typing')
    expect(await stored.execute()).toEqual([])
    setClock()
    const conversation = await converse(bob, ['carol'])
    expect(await heardBefore(stranger, bob, conversation.channelId)).toEqual([])
    for (const listener of [member, stranger]) listener.close()
  })

  it('is told once a second, and at once when they stop, also of a feed of its own', async () => {
    const { id, channelId } = await openChannel(alice, {}, bob)
    const messageFeedId = await createMessageFeed(alice, id)
    const member = await follow(bob, channelId)
    let time = Date.now()
    setClock(() => time)
    for (const pass of [0, 900, 200]) {
      time += pass
      ok(await type(alice, { channelId: id }))
    }
    ok(await type(alice, { messageFeedId }))
    ok(await type(alice, { messageFeedId, isTyping: false }))
    setClock()
    const heard = await heardBefore(member, alice, channelId)
    expect(heard.map((data) => [data.messageFeedId, data.isTyping])).toEqual([
      [id, true],
      [id, true],
      [messageFeedId, true],
      [messageFeedId, false],
    ])
    expect(heard.at(-1).expiresAt).toBe(new Date(time).toISOString())
    member.close()
  })
})

describe('only who may write may be seen writing', () => {
  type Refusal = [what: string, act: () => Promise<unknown>, refused: [status: number, code: number]]
  it.each<Refusal>([
    ['not who says no place', async () => ({}), [422, 500000]],
    ['not where nothing is', async () => ({ channelId: 'nowhere' }), [404, 400400]],
    ['not outsiders', async () => ({ channelId: (await openChannel(alice)).channelId }), [403, 400301]],
    [
      'not in what is hidden',
      async () => ({ channelId: (await openChannel(alice, { isPublic: false })).id }),
      [404, 400400],
    ],
    [
      'not who is muted',
      async () => {
        const { channelId } = await openChannel(alice, {}, bob)
        ok(await alice.put(muting(channelId, '/users'), { userIds: ['bob'], mutePeriod: -1 }))
        return { channelId }
      },
      [403, 400302],
    ],
    [
      'not where it is quiet',
      async () => {
        const { channelId } = await openChannel(alice, {}, bob)
        ok(await alice.put(muting(channelId), { mutePeriod: -1 }))
        return { channelId }
      },
      [403, 400303],
    ],
    [
      'not where it is over',
      async () => {
        const { channelId } = await openChannel(alice, {}, bob)
        ok(await alice.delete(channelPath(channelId)))
        return { channelId }
      },
      [404, 400400],
    ],
    [
      'not in broadcasts, but by moderators',
      async () => {
        const admin = await server.asAdmin()
        const { channelId } = await openChannel(admin, { type: 'broadcast' }, bob)
        ok(await type(admin, { channelId }))
        return { channelId }
      },
      [403, 400301],
    ],
  ])('%s', async (_what, place, refused) => {
    expect(refusal(await type(bob, await place()))).toEqual(refused)
  })
})
