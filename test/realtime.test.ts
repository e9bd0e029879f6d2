import mqtt, { type MqttClient } from 'mqtt'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from './harness/eventually.ts'
import { startTestServer, type TestServer } from './harness/server.ts'
import type { TestClient } from './harness/client.ts'

let server: TestServer
let alice: TestClient
let bob: TestClient
const open: MqttClient[] = []

beforeAll(async () => {
  server = await startTestServer()
  alice = await server.as('alice')
  bob = await server.as('bob')
})
afterAll(async () => {
  for (const client of open) client.end(true)
  await server.close()
})

interface Received {
  eventType: string
  data: Record<string, any[]> // eslint-disable-line @typescript-eslint/no-explicit-any -- tests read what the wire holds
  [key: string]: unknown
}

async function connect(user: TestClient, topics: string[]): Promise<Received[]> {
  const client = mqtt.connect(server.mqttUrl, {
    username: user.id,
    password: user.accessToken,
    reconnectPeriod: 0,
  })
  open.push(client)
  const received: Received[] = []
  client.on('message', (_topic, payload) => received.push(JSON.parse(payload.toString()) as Received))
  await new Promise<void>((resolve, reject) => {
    client.once('connect', () => resolve())
    client.once('error', reject)
  })
  if (topics.length > 0) await client.subscribeAsync(topics)
  return received
}

async function createCommunity(fields: Record<string, unknown> = {}) {
  const { body } = await alice.post('/api/v3/communities', { displayName: 'Cats', isPublic: true, ...fields })
  return body.communities[0] as { communityId: string; path: string }
}

describe('MQTT', () => {
  it('brings a post to whoever follows its community, in the envelope of the interface', async () => {
    const community = await createCommunity()
    const received = await connect(bob, [`${community.path}/post/+`])
    const { body } = await alice.post('/api/v4/posts', {
      targetType: 'community',
      targetId: community.communityId,
      data: { text: 'hello' },
    })
    const [event] = await eventually(() => received)
    expect(event).toMatchObject({
      id: expect.stringMatching(/^[0-9a-f]{24}$/),
      networkId: 'hubbub',
      path: body.posts[0].path,
      eventType: 'post.created',
      senderId: alice.id,
      version: '1',
    })
    expect(new Date(event!.sendTime as string).getTime()).toBeGreaterThan(0)
    const { myReactions: _personal, ...post } = body.posts[0]
    expect(event!.data.posts).toEqual([post])
    expect(Object.keys(event!.data)).toEqual(
      expect.arrayContaining(['postChildren', 'communities', 'communityUsers', 'feeds']),
    )
  })

  it('refuses a wrong token with the code that makes clients stop', async () => {
    const client = mqtt.connect(server.mqttUrl, { username: alice.id, password: 'wrong', reconnectPeriod: 0 })
    open.push(client)
    const error = await new Promise<{ code?: number }>((resolve) =>
      client.once('error', resolve as () => void),
    )
    expect(error.code).toBe(2)
  })

  it("refuses another's personal topics and a private community", async () => {
    const hidden = await createCommunity({ isPublic: false })
    const client = mqtt.connect(server.mqttUrl, {
      username: bob.id,
      password: bob.accessToken,
      reconnectPeriod: 0,
    })
    open.push(client)
    await new Promise<void>((resolve) => client.once('connect', () => resolve()))
    const granted = async (topic: string) =>
      (await client.subscribeAsync(topic).catch(() => [{ qos: 128 }]))[0]?.qos
    expect(await granted(`hubbub/smartfeed/${alice.id}/messages`)).toBe(128)
    expect(await granted(hidden.path)).toBe(128)
    expect(await granted('hubbub/#')).toBe(128)
    expect(await granted(`hubbub/smartfeed/${bob.id}/messages`)).toBe(0)
  })

  it('closes when the session is revoked', async () => {
    const carol = await server.as('carol')
    await connect(carol, [])
    const client = open.at(-1)!
    const closed = new Promise<void>((resolve) => client.once('close', () => resolve()))
    await carol.delete('/api/v4/sessions')
    await closed
  })
})

describe('event streams', () => {
  it('resumes after the last event seen, without gap or double', async () => {
    const community = await createCommunity()
    const post = (text: string) =>
      alice.post('/api/v4/posts', {
        targetType: 'community',
        targetId: community.communityId,
        data: { text },
      })
    const url = `${server.url}/realtime/post.created?topics[]=${encodeURIComponent(`${community.path}/#`)}`
    const first = await readStream(url, bob, undefined, async () => void (await post('one')), 1)
    await post('two')
    await post('three')
    await server.settled()
    const rest = await readStream(url, bob, first[0]!.id, async () => void (await post('four')), 3)
    const texts = rest.map(({ data }) => (data as Received).data.posts![0].data.text as string)
    expect(texts).toEqual(['two', 'three', 'four'])
  })

  it('says that events are no longer kept', async () => {
    const events = await readStream(
      `${server.url}/realtime/post.created`,
      bob,
      '999999999',
      async () => undefined,
      1,
    )
    expect(events[0]!.event).toBe('gap')
  })

  it('asks for a token and a known event', async () => {
    expect((await fetch(`${server.url}/realtime/post.created`)).status).toBe(401)
    expect((await bob.get('/realtime/no.such')).status).toBe(404)
  })
})

interface StreamEvent {
  id: string
  event: string
  data: unknown
}

async function readStream(
  url: string,
  user: TestClient,
  lastEventId: string | undefined,
  act: () => Promise<void>,
  count: number,
): Promise<StreamEvent[]> {
  const stop = new AbortController()
  const headers = {
    authorization: `Bearer ${user.accessToken}`,
    ...(lastEventId && { 'last-event-id': lastEventId }),
  }
  const response = await fetch(url, { headers, signal: stop.signal })
  expect(response.headers.get('content-type')).toContain('text/event-stream')
  await act()
  const events: StreamEvent[] = []
  let text = ''
  for await (const chunk of response.body!) {
    text += Buffer.from(chunk).toString()
    const records = text.split('\n\n')
    text = records.pop()!
    for (const record of records) {
      const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(record)?.[1] ?? ''
      if (field('event'))
        events.push({ id: field('id'), event: field('event'), data: JSON.parse(field('data')) })
    }
    if (events.length >= count) break
  }
  stop.abort()
  return events
}
