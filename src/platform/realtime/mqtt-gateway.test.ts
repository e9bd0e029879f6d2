import { once } from 'node:events'
import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { generate, type Packet } from 'mqtt-packet'
import { describe, expect, it } from 'vitest'
import {
  connectClient,
  connectPacket,
  connectRaw,
  eventOf,
  nextMessage,
  openRaw,
  startGateway,
  subscribeRaw,
  until,
} from '../../../test/realtime/mqtt-harness.ts'
import { seededRandom } from '../../../test/realtime/random.ts'

describe('connecting', () => {
  it('accepts the published client and answers that no session is present', async () => {
    const seen: unknown[] = []
    const { url, gateway, hub } = await startGateway({
      authenticate(credentials) {
        seen.push(credentials)
        return Promise.resolve({ ownerId: 'ada', session: { userId: 'ada' } })
      },
      onConnected: (session, subscriber) => hub.joinGroup(subscriber, `of:${session.userId}`),
    })
    const client = await connectClient(url, { clientId: 'tab-1', username: 'ada', password: 'secret' })
    expect(seen).toEqual([{ clientId: 'tab-1', username: 'ada', password: 'secret' }])
    expect(client.connected).toBe(true)
    expect(hub.interests().groups).toEqual(['of:ada'])
    expect(gateway.stats()).toMatchObject({ connections: 1, opened: 1 })
    await client.endAsync()
    await until(() => gateway.stats().connections === 0)
    expect(gateway.stats().closed).toEqual({ clientDisconnected: 1 })
    expect(hub.stats().subscribers).toBe(0)
  })

  it('accepts MQTT 3.1 under its own sub-protocol, and clients that offer none', async () => {
    const { url } = await startGateway()
    const old = await openRaw(url, ['mqttv3.1'])
    expect(old.ws.protocol).toBe('mqttv3.1')
    old.send({
      cmd: 'connect',
      protocolId: 'MQIsdp',
      protocolVersion: 3,
      clientId: 'old',
      clean: true,
      keepalive: 0,
    })
    expect(await old.next()).toMatchObject({ cmd: 'connack', returnCode: 0 })
    expect((await openRaw(url, [])).ws.protocol).toBe('')
  })

  it.each([2, 4, 5] as const)('refuses with CONNACK %i as the hook says', async (refuse) => {
    const { url, gateway } = await startGateway({
      authenticate: () => Promise.resolve({ refuse, reason: 'expired' }),
    })
    await expect(connectClient(url)).rejects.toMatchObject({ code: refuse })
    const raw = await openRaw(url)
    raw.send(connectPacket({}))
    expect(await raw.next()).toMatchObject({ cmd: 'connack', returnCode: refuse, sessionPresent: false })
    expect(await raw.closed).toEqual({ code: 1008, reason: 'expired' })
    expect(gateway.stats().closed).toEqual({ notAuthenticated: 2 })
  })

  it('answers 3 when the hook fails, 1 to a wrong protocol, 2 to an empty id without a clean session', async () => {
    const { url } = await startGateway({
      authenticate: ({ clientId }) =>
        clientId === 'boom'
          ? Promise.reject(new Error('no database'))
          : Promise.resolve({ ownerId: clientId, session: { userId: clientId } }),
    })
    const answer = async (packet: Packet | Buffer) => {
      const raw = await openRaw(url)
      raw.sendBytes(Buffer.isBuffer(packet) ? packet : generate(packet))
      return raw.next()
    }
    const emptyIdToKeep = generate(connectPacket({ clientId: '' }))
    // The flags follow two bytes of header, the protocol name and its version; this one asks for a clean session.
    emptyIdToKeep[9] = (emptyIdToKeep[9] as number) & ~2
    expect(await answer(connectPacket({ clientId: 'boom' }))).toMatchObject({ returnCode: 3 })
    expect(await answer({ ...connectPacket({}), protocolId: 'MQIsdp' } as never)).toMatchObject({
      returnCode: 1,
    })
    expect(await answer(emptyIdToKeep)).toMatchObject({ returnCode: 2 })
    expect(await answer(connectPacket({ clientId: '', clean: true }))).toMatchObject({ returnCode: 0 })
    await expect(connectClient(url, { protocolVersion: 5 })).rejects.toMatchObject({ code: 0x84 })
  })

  it('ends the older connection of the same client and owner, and no other', async () => {
    const { url, gateway } = await startGateway()
    const first = await connectRaw(url, { clientId: 'tab', username: 'ada' })
    const other = await connectRaw(url, { clientId: 'tab', username: 'bob' })
    const second = await connectRaw(url, { clientId: 'tab', username: 'ada' })
    expect(await first.closed).toEqual({ code: 4001, reason: 'the same client connected again' })
    expect([other, second].map(({ ws }) => ws.readyState)).toEqual([1, 1])
    expect(gateway.stats()).toMatchObject({ connections: 2, closed: { takenOver: 1 } })
    const third = await connectRaw(url, { clientId: 'tab', username: 'ada' })
    expect(await second.closed).toMatchObject({ code: 4001 })
    expect(third.ws.readyState).toBe(1)
  })

  it('refuses upgrades when full, and sub-protocols that are not MQTT', async () => {
    const { url, gateway, port } = await startGateway({ maxConnections: 1 })
    await expect(openRaw(url, ['graphql-ws'])).rejects.toThrow('400')
    await connectRaw(url)
    await expect(openRaw(url)).rejects.toThrow('503')
    expect(gateway.stats()).toMatchObject({ connections: 1, refusedUpgrades: 2 })
    const plain = request({
      port,
      host: '127.0.0.1',
      headers: { connection: 'upgrade', upgrade: 'websocket' },
    })
    plain.end()
    const [response] = (await once(plain, 'response')) as [{ statusCode: number; resume: () => void }]
    response.resume()
    expect(response.statusCode).toBe(503)
  })
})

describe('subscribing', () => {
  it('grants QoS 0 whatever is asked and delivers as QoS 0', async () => {
    const { url, hub } = await startGateway()
    const client = await connectClient(url)
    const granted = await client.subscribeAsync({
      'net/a': { qos: 2 },
      'net/b/+': { qos: 1 },
      'net/c/#': { qos: 0 },
    })
    expect(granted.map(({ topic, qos }) => [topic, qos])).toEqual([
      ['net/a', 0],
      ['net/b/+', 0],
      ['net/c/#', 0],
    ])
    const received = nextMessage(client)
    expect(hub.publish('net/b/1', eventOf({ text: 'hé' }))).toBe(1)
    expect(await received).toEqual({ topic: 'net/b/1', payload: '{"text":"hé"}', qos: 0, retain: false })
    await client.unsubscribeAsync('net/b/+')
    expect(hub.publish('net/b/1', eventOf(1))).toBe(0)
  })

  it('refuses with 128 what the policy, the syntax or the limits do not allow, and keeps the rest', async () => {
    const { url, hub, gateway } = await startGateway({
      maxSubscriptions: 3,
      maxTopicLevels: 4,
      authorize: (_session, filter) =>
        filter === 'boom'
          ? Promise.reject(new Error('no database'))
          : Promise.resolve(!/^(private|#|\+)/.test(filter)),
    })
    const client = await connectRaw(url)
    expect(await subscribeRaw(client, '#', '+/private', 'private/1', 'a#', '', 'boom', 'a/b/c/d/e')).toEqual(
      Array(7).fill(128),
    )
    expect(await subscribeRaw(client, 'a/b/c/d', 'b')).toEqual([0, 0])
    expect(await subscribeRaw(client, 'c', 'd', 'b')).toEqual([0, 128, 0])
    expect(hub.interests().filters.sort()).toEqual(['a/b/c/d', 'b', 'c'])
    expect(gateway.stats().refusedSubscriptions).toBe(8)
    expect(hub.publish('private/1', eventOf(1))).toBe(0)
  })

  it('runs the hook before the answer, and refuses when it fails', async () => {
    const log: string[] = []
    const { url, hub } = await startGateway({
      async onSubscribed(session, subscriber, filter) {
        await sleep(10)
        if (filter === 'bad') throw new Error('no groups')
        hub.joinGroup(subscriber, `${session.userId}:${filter}`)
        log.push(filter)
      },
      onUnsubscribed: (_session, _subscriber, filter) => log.push(`-${filter}`),
    })
    const client = await connectRaw(url, { username: 'ada' })
    expect(await subscribeRaw(client, 'a', 'bad')).toEqual([0, 128])
    expect(hub.interests()).toEqual({ filters: ['a'], groups: ['ada:a'] })
    client.send({ cmd: 'unsubscribe', messageId: 9, unsubscriptions: ['a', 'never'] })
    expect(await client.next()).toMatchObject({ cmd: 'unsuback', messageId: 9 })
    expect(log.sort()).toEqual(['-a', '-bad', 'a'])
  })

  it('cuts a filter that is asked for again and no longer allowed', async () => {
    let allowed = true
    const { url, hub } = await startGateway({ authorize: () => Promise.resolve(allowed) })
    const client = await connectRaw(url)
    expect(await subscribeRaw(client, 'a')).toEqual([0])
    allowed = false
    expect(await subscribeRaw(client, 'a')).toEqual([128])
    expect(hub.publish('a', eventOf(1))).toBe(0)
  })

  it("delivers group events on each owner's personal topic", async () => {
    const { url, hub } = await startGateway({
      onConnected({ userId }, subscriber) {
        hub.setPersonalTopics(subscriber, { messages: `net/smartfeed/${userId}/messages` })
        hub.joinGroup(subscriber, 'channel:1')
      },
    })
    const clients = await Promise.all(['ada', 'bob'].map((username) => connectClient(url, { username })))
    const received = clients.map(nextMessage)
    await clients[0]?.subscribeAsync('net/smartfeed/ada/messages')
    await clients[1]?.subscribeAsync('net/smartfeed/bob/messages')
    expect(hub.publishToGroup('channel:1', 'messages', eventOf({ n: 1 }))).toBe(2)
    const messages = await Promise.all(received)
    expect(messages.map(({ topic, payload }) => [topic, payload])).toEqual([
      ['net/smartfeed/ada/messages', '{"n":1}'],
      ['net/smartfeed/bob/messages', '{"n":1}'],
    ])
  })
})

describe('delivery', () => {
  it('keeps the order of 1,000 events of all sizes between control frames, for 20 clients', async () => {
    const { url, hub, gateway } = await startGateway()
    const random = seededRandom(5)
    const clients = await Promise.all(Array.from({ length: 20 }, () => connectRaw(url)))
    let pongs = 0
    for (const client of clients) {
      expect(await subscribeRaw(client, 'net/chat/#')).toEqual([0])
      client.ws.on('pong', () => pongs++)
    }
    for (let n = 0; n < 1_000; n++) {
      const size = random() < 0.01 ? 70_000 : Math.floor(random() * 600)
      hub.publish(n % 3 ? 'net/chat/a' : 'net/chat/b', eventOf({ n, text: 'x'.repeat(size) }))
      if (n % 50 === 0) for (const client of clients) client.ws.ping()
      if (n % 25 === 0) await sleep(2)
    }
    await until(() => clients.every(({ packets }) => packets.length === 1_000))
    for (const { packets } of clients) {
      const order = packets.map(
        (packet) => (JSON.parse(String('payload' in packet && packet.payload)) as { n: number }).n,
      )
      expect(order).toEqual(Array.from({ length: 1_000 }, (_, n) => n))
    }
    await until(() => pongs === 20 * 20)
    expect(gateway.stats()).toMatchObject({ delivered: 20_000, connections: 20, bufferedBytes: 0 })
  })

  it('drops a slow reader with a reason, holds little memory for it, and serves the others', async () => {
    const closings: unknown[] = []
    const maxBufferedBytes = 512 * 1024
    const { url, hub, gateway } = await startGateway({
      maxBufferedBytes,
      onClosed: (session, _subscriber, reason) => closings.push([session.userId, reason]),
    })
    const slow = await connectRaw(url, { username: 'slow' })
    const fast = await connectRaw(url, { username: 'fast' })
    for (const client of [slow, fast]) await subscribeRaw(client, 'a')
    slow.ws.pause()
    const frame = eventOf('x'.repeat(60_000))
    let published = 0
    let mostBuffered = 0
    for (; gateway.stats().connections === 2 && published < 2_000; published++) {
      hub.publish('a', frame)
      await until(() => fast.packets.length === published + 1)
      mostBuffered = Math.max(mostBuffered, gateway.stats().bufferedBytes)
    }
    expect(closings).toEqual([['slow', 'slowReader']])
    expect(gateway.stats()).toMatchObject({ connections: 1, bufferedBytes: 0, closed: { slowReader: 1 } })
    expect(mostBuffered).toBeGreaterThan(0)
    expect(mostBuffered).toBeLessThanOrEqual(maxBufferedBytes + 70_000)
    expect(hub.publish('a', frame)).toBe(1)
    slow.ws.resume()
    expect(await slow.closed).toMatchObject({ code: 1006 })
  })
})

describe('what clients send', () => {
  it('ignores publishes and wills, with the acknowledgements the client waits for', async () => {
    const { url, gateway } = await startGateway()
    const will = { topic: 'WillMsg', payload: Buffer.from('gone'), qos: 1, retain: false } as const
    const [listener, talker] = [await connectClient(url), await connectClient(url, { will })]
    const heard: string[] = []
    listener.on('message', (topic) => heard.push(topic))
    await listener.subscribeAsync(['WillMsg', 'net/x'])
    for (const qos of [0, 1, 2] as const) await talker.publishAsync('net/x', 'hi', { qos, retain: true })
    talker.stream.destroy()
    await until(() => gateway.stats().closed.connectionLost === 1)
    await sleep(30)
    expect(heard).toEqual([])
    expect(gateway.stats().ignoredPublishes).toBe(3)
  })

  it('hands publishes to the hook when there is one, and survives its errors', async () => {
    const published: unknown[] = []
    const { url } = await startGateway({
      onPublish(session, topic, payload) {
        published.push([session.userId, topic, String(payload)])
        if (topic === 'boom') throw new Error('no')
      },
    })
    const client = await connectClient(url)
    await client.publishAsync('typing', '1', { qos: 1 })
    await client.publishAsync('boom', '2', { qos: 1 })
    await client.publishAsync('typing', '3', { qos: 2 })
    expect(published).toEqual([
      ['ada', 'typing', '1'],
      ['ada', 'boom', '2'],
      ['ada', 'typing', '3'],
    ])
  })

  it('answers pings in the order of the packets around them, while a subscription is being authorized', async () => {
    const { url } = await startGateway({ authorize: () => sleep(30).then(() => true) })
    const client = await connectRaw(url)
    client.send({ cmd: 'subscribe', messageId: 1, subscriptions: [{ topic: 'a', qos: 0 }] })
    client.send({ cmd: 'pingreq' })
    client.send({ cmd: 'unsubscribe', messageId: 2, unsubscriptions: ['a'] })
    client.send({ cmd: 'pingreq' })
    const answers = [await client.next(), await client.next(), await client.next(), await client.next()]
    expect(answers.map(({ cmd }) => cmd)).toEqual(['suback', 'pingresp', 'unsuback', 'pingresp'])
  })
})
