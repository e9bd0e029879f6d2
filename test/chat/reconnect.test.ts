import { get, type IncomingMessage } from 'node:http'
import mqtt from 'mqtt'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createChannel, ok, sayIn } from '../factories/chat.ts'
import type { TestClient } from '../harness/client.ts'
import { startTestServer, type TestServer } from '../harness/server.ts'
import { seededRandom } from '../realtime/random.ts'

/**
 * People who listen to one channel are cut off again and again while others send. Whoever follows by event stream goes
 * on after the last event they saw; whoever follows by MQTT asks for what came after the last message they have. In the
 * end everybody holds every message once, in order. More: `RECONNECTS=5000`.
 */
const reconnects = Number(process.env.RECONNECTS ?? 1200)
const random = seededRandom(Number(process.env.RECONNECT_SEED ?? 1))

let server: TestServer
let feedId: string
let streamers: TestClient[]
let subscribers: TestClient[]
let senders: TestClient[]
beforeAll(async () => {
  server = await startTestServer()
  const people = (name: string, count: number) =>
    Promise.all(Array.from({ length: count }, (_, i) => server.as(`${name}-${i}`)))
  ;[streamers, subscribers, senders] = await Promise.all([
    people('sse', 8),
    people('mqtt', 3),
    people('say', 3),
  ])
  const everybody = [...streamers, ...subscribers, ...senders].map(({ userId }) => userId)
  const channel = await createChannel(await server.as('owner'), { userIds: everybody, displayName: 'All' })
  feedId = channel.channelInternalId
  await server.settled()
})
afterAll(() => server.close())

interface Follower {
  segments: number[]
  cuts: number
  /** Goes through one connection, until it is cut; a calm one only ends when all has been heard. */
  connect(isCalm: boolean, until: () => boolean): Promise<void>
}

it(
  `nobody misses a message or hears one twice, over ${reconnects} reconnects`,
  { timeout: 240_000 },
  async () => {
    const { position } = await server.app.db
      .selectFrom('outboxHead')
      .select('position')
      .executeTakeFirstOrThrow()
    const followers = [
      ...streamers.map((client) => followByStream(client, Number(position))),
      ...subscribers.map(followByMqtt),
    ]
    const cuts = () => followers.reduce((sum, { cuts }) => sum + cuts, 0)
    let sent = 0
    let isOver = false
    const sending = Promise.all(
      senders.map(async (sender) => {
        while (cuts() < reconnects) {
          await sayIn(sender, feedId, `${++sent}`)
          // Leaves the one processor to the listeners now and then; no time is waited for.
          await new Promise((resolve) => setImmediate(resolve))
        }
      }),
    ).finally(() => (isOver = true))
    const following = Promise.all(
      followers.map(async (follower) => {
        const hasAll = () => isOver && follower.segments.length >= sent
        while (!isOver) await follower.connect(false, () => isOver)
        await follower.connect(true, hasAll)
      }),
    )
    await Promise.all([sending, following])
    const expected = Array.from({ length: sent }, (_, i) => i + 1)
    expect(sent).toBeGreaterThan(reconnects / 20)
    for (const { segments } of followers) expect(segments).toEqual(expected)
  },
)

function followByStream(client: TestClient, start: number): Follower {
  let lastEventId = start
  let text = ''
  const follower: Follower = {
    segments: [],
    cuts: 0,
    async connect(isCalm, until) {
      const response = await new Promise<IncomingMessage>((resolve, reject) => {
        const headers = {
          authorization: `Bearer ${client.accessToken}`,
          'last-event-id': String(lastEventId),
        }
        get(`${server.url}/realtime?events[]=message.created`, { headers, agent: false }, resolve).on(
          'error',
          reject,
        )
      })
      expect(response.statusCode).toBe(200)
      // Cut anywhere, also within a record: what is not whole was not heard.
      let left = isCalm ? Infinity : Math.floor(random() * 4000)
      text = ''
      for await (const chunk of response as AsyncIterable<Buffer>) {
        text += chunk.subarray(0, Math.max(0, left)).toString('latin1')
        left -= chunk.length
        const records = text.split('\n\n')
        text = records.pop()!
        for (const record of records) hear(record)
        if (left <= 0 || until()) break
      }
      response.destroy()
      follower.cuts++
    },
  }
  const hear = (record: string) => {
    const id = /^id: (\d+)$/m.exec(record)?.[1]
    const data = /^data: (.*)$/m.exec(record)?.[1]
    if (id) lastEventId = Number(id)
    if (data) follower.segments.push(JSON.parse(data).data.messages[0].segment)
  }
  return follower
}

function followByMqtt(client: TestClient): Follower {
  const follower: Follower = {
    segments: [],
    cuts: 0,
    async connect(isCalm, until) {
      const early: number[] = []
      let take: (segment: number) => void = (segment) => early.push(segment)
      const connection = await mqtt.connectAsync(server.mqttUrl, {
        username: client.id,
        password: client.accessToken,
        reconnectPeriod: 0,
      })
      let left = Math.floor(random() * 20)
      const cut = new Promise<void>((resolve) => {
        connection.on('close', resolve)
        connection.on('message', (_topic, payload) => {
          const { eventType, data } = JSON.parse(payload.toString())
          if (eventType === 'message.created') take(data.messages[0].segment)
          if (isCalm ? until() : left-- <= 0 || until()) connection.stream.destroy()
        })
      })
      await connection.subscribeAsync(`hubbub/smartfeed/${client.id}/messages`)
      await catchUp()
      take = add
      early.forEach(add)
      if (until()) connection.stream.destroy()
      await cut
      connection.end(true)
      follower.cuts++
    },
  }
  // What came live and in the answer is one message.
  const add = (segment: number) => {
    if (segment > (follower.segments.at(-1) ?? 0)) follower.segments.push(segment)
  }
  const catchUp = async () => {
    let token: string | undefined
    do {
      const options = { limit: 100, sortBy: 'segmentDesc', ...(token && { token }) }
      const { messages, paging } = ok(
        await client.get('/api/v5/messages', { messageFeedId: feedId, isDeleted: false, options }),
      )
      page.push(...messages.map(({ segment }: { segment: number }) => segment))
      const isKnown = messages.some(
        ({ segment }: { segment: number }) => segment <= (follower.segments.at(-1) ?? 0),
      )
      token = isKnown ? undefined : paging?.next
    } while (token)
    page.toSorted((a, b) => a - b).forEach(add)
    page.length = 0
  }
  const page: number[] = []
  return follower
}
