// needs: nats-server ffmpeg
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { connect, createServer, type AddressInfo } from 'node:net'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import mqtt, { type MqttClient } from 'mqtt'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createChannel, sayIn } from './factories/chat.ts'
import { createStream, readStream, streamPath, untilStatus } from './factories/streams.ts'
import { createClient, type TestClient } from './harness/client.ts'
import { createTestDatabase, type TestDatabase } from './harness/database.ts'
import { eventually } from './harness/eventually.ts'
import { startServerProcess, type ServerProcess } from './harness/process.ts'
import { makeClip, startPublisher } from './media/clips.ts'

// Two servers on one PostgreSQL and one NATS: whatever is done at one is heard at the other.
let database: TestDatabase
let folder: string
let nats: ChildProcess
let natsPort: number
let one: ServerProcess
let two: ServerProcess
const servers: ServerProcess[] = []
const open: { close(): void }[] = []

beforeAll(async () => {
  database = await createTestDatabase()
  folder = await mkdtemp(join(tmpdir(), 'hubbub-cluster-'))
  natsPort = await freePort()
  nats = await startNats()
  one = await startNode('one')
  two = await startNode('two')
}, 120_000)
afterAll(async () => {
  open.forEach((each) => each.close())
  await Promise.all(servers.map((server) => server.kill().catch(() => undefined)))
  nats.kill()
  await database.drop()
  await rm(folder, { recursive: true, force: true })
}, 60_000)

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  return port
}

async function startNats(): Promise<ChildProcess> {
  const child = spawn('nats-server', ['-a', '127.0.0.1', '-p', String(natsPort)], { stdio: 'ignore' })
  await eventually(
    () =>
      new Promise<boolean>((resolve) => {
        const socket = connect(natsPort, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false))
        socket.on('connect', () => socket.destroy())
      }),
  )
  return child
}

async function startNode(name: string): Promise<ServerProcess> {
  const server = await startServerProcess(join(folder, name), {
    DATABASE_URL: database.url,
    NATS_URL: `nats://127.0.0.1:${natsPort}`,
    HUBBUB_API_KEY: 'a-key-of-the-cluster',
    HUBBUB_LOG_LEVEL: 'fatal',
  })
  servers.push(server)
  return server
}

interface Ear {
  segments: number[]
  names: string[]
  close(): void
}

const hear = (ear: Ear, json: string) => {
  const { eventType, data } = JSON.parse(json)
  ear.names.push(eventType)
  if (eventType === 'message.created') ear.segments.push(data.messages[0].segment)
}

/** Follows everything over server-sent events, at one node after another: on after the last event heard. */
function follow(client: TestClient, urlOf: () => string): Ear {
  let isClosed = false
  let lastEventId = ''
  let response: IncomingMessage | undefined
  const ear: Ear = { segments: [], names: [], close: () => ((isClosed = true), response?.destroy()) }
  const run = async () => {
    const headers = {
      authorization: `Bearer ${client.accessToken}`,
      ...(lastEventId && { 'last-event-id': lastEventId }),
    }
    response = await new Promise<IncomingMessage>((resolve, reject) =>
      get(`${urlOf()}/realtime`, { headers, agent: false }, resolve).on('error', reject),
    )
    let text = ''
    for await (const chunk of response) {
      text += String(chunk)
      const records = text.split('\n\n')
      text = records.pop()!
      for (const record of records) {
        lastEventId = /^id: (\d+)$/m.exec(record)?.[1] ?? lastEventId
        const data = /^data: (.*)$/m.exec(record)?.[1]
        if (data) hear(ear, data)
      }
    }
  }
  void (async () => {
    while (!isClosed) {
      await run().catch(() => undefined)
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  })()
  open.push(ear)
  return ear
}

/** Follows messages over MQTT, once. */
async function subscribe(client: TestClient, url: string): Promise<Ear & { connection: MqttClient }> {
  const connection = await mqtt.connectAsync(`${url.replace('http', 'ws')}/mqtt`, {
    username: client.id,
    password: client.accessToken,
    reconnectPeriod: 0,
  })
  const ear = { segments: [], names: [], connection, close: () => void connection.end(true) }
  connection.on('message', (_topic, payload) => hear(ear, payload.toString()))
  await connection.subscribeAsync([
    `hubbub/smartfeed/${client.id}/messages`,
    `hubbub/smartfeed/${client.id}/channels`,
  ])
  open.push(ear)
  return ear
}

const at = (server: ServerProcess, userId: string) => createClient(server.url, server.apiKey, userId)
const upTo = (count: number) => Array.from({ length: count }, (_, i) => i + 1)

it('a live stream at one node is counted, shut and ended from the other', { timeout: 60_000 }, async () => {
  const [maker, viewer, admin] = await Promise.all([at(one, 'maker'), at(one, 'viewer'), at(two, 'admin')])
  const clip = await makeClip(join(folder, 'clip.flv'), { seconds: 4 })
  const { streamId, streamerUrl } = await createStream(maker, { isSecure: true })
  const encoder = startPublisher(clip, streamerUrl.url, 'loop')
  const gone = once(encoder, 'exit')
  await untilStatus(admin, streamId, 'live')
  const { watcherUrl } = await readStream(viewer, streamId)
  const player = await fetch(watcherUrl.flv.url)
  const viewers = async () => (await admin.get(streamPath(streamId, '/viewers'))).body.players
  await eventually(async () => (await viewers()) === 1, 12_000)
  await admin.put(streamPath(streamId, '/viewers/ban'), { userIds: ['viewer'] })
  await player.arrayBuffer().catch(() => undefined)
  await eventually(async () => (await viewers()) === 0, 12_000)
  await admin.post(streamPath(streamId, '/stop'))
  await gone
})

it(
  'what happens at one node is heard at both; the clients of a killed one miss nothing',
  { timeout: 180_000 },
  async () => {
    const [alice, aliceToo, bob, carol, dora] = await Promise.all([
      at(one, 'alice'),
      at(two, 'alice-too'),
      at(one, 'bob'),
      at(two, 'carol'),
      at(two, 'dora'),
    ])
    const channel = await createChannel(alice, {
      displayName: 'Both',
      userIds: [aliceToo, bob, carol].map(({ userId }) => userId),
    })
    const feedId = channel.channelInternalId
    let current = one.url
    const bobFollows = follow(bob, () => current)
    const carolFollows = follow(carol, () => two.url)
    const bobListens = await subscribe(bob, one.url)
    const carolListens = await subscribe(carol, two.url)
    const doraListens = await subscribe(dora, two.url)
    await eventually(
      async () =>
        (await sayIn(alice, feedId)) && bobFollows.segments.length > 0 && carolFollows.segments.length > 0,
    )
    let sent = 0
    for (let i = 0; i < 40; i++) {
      sent = (await sayIn(i % 2 ? alice : aliceToo, feedId)).segment
    }
    for (const ear of [bobFollows, carolFollows]) {
      await eventually(() => ear.segments.at(-1) === sent, 20_000)
      expect(ear.segments).toEqual(upTo(sent).slice(ear.segments[0]! - 1))
    }
    for (const ear of [bobListens, carolListens]) {
      await eventually(() => ear.segments.at(-1) === sent, 20_000)
      expect(ear.segments.slice(-40)).toEqual(upTo(sent).slice(-40))
    }

    // Who is let in at one node hears, at the other, what is said at once; who is shut out hears nothing later.
    const path = `/api/v3/channels/${channel.channelId}`
    await alice.post(`${path}/users`, { userIds: ['dora'] })
    sent = (await sayIn(alice, feedId)).segment
    await eventually(() => doraListens.segments.length > 0, 20_000)
    expect(doraListens.segments).toEqual([sent])
    await alice.delete(`${path}/users`, { userIds: ['dora'] })
    sent = (await sayIn(alice, feedId)).segment
    await eventually(() => carolListens.segments.at(-1) === sent, 20_000)
    await eventually(() => doraListens.names.includes('channel.membersRemoved'), 20_000)
    expect(doraListens.segments).toEqual([sent - 1])

    // The node that dispatches dies; its clients go to the other.
    await one.kill()
    current = two.url
    for (let i = 0; i < 40; i++) {
      sent = (await sayIn(aliceToo, feedId)).segment
    }
    for (const ear of [bobFollows, carolFollows]) {
      await eventually(() => ear.segments.at(-1) === sent, 30_000)
      expect(ear.segments).toEqual(upTo(sent).slice(ear.segments[0]! - 1))
    }

    // NATS dies and comes back: whoever may have missed something is made to resume.
    nats.kill('SIGKILL')
    await once(nats, 'exit')
    for (let i = 0; i < 10; i++) {
      sent = (await sayIn(aliceToo, feedId)).segment
    }
    nats = await startNats()
    for (let i = 0; i < 10; i++) {
      sent = (await sayIn(aliceToo, feedId)).segment
    }
    for (const ear of [bobFollows, carolFollows]) {
      await eventually(() => ear.segments.at(-1) === sent, 30_000)
      expect(ear.segments).toEqual(upTo(sent).slice(ear.segments[0]! - 1))
    }
  },
)
