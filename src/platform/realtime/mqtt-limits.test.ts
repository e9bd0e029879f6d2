import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { generate } from 'mqtt-packet'
import { describe, expect, it } from 'vitest'
import {
  connectPacket,
  connectRaw,
  eventOf,
  openRaw,
  startGateway,
  subscribeRaw,
  until,
} from '../../../test/realtime/mqtt-harness.ts'

const subscribe = generate({ cmd: 'subscribe', messageId: 1, subscriptions: [{ topic: 'abc', qos: 0 }] })
const edited = (bytes: Buffer, at: number, value: number) => Buffer.from(bytes).fill(value, at, at + 1)

describe('bytes that are not MQTT', () => {
  it.each<[string, Buffer, number, string]>([
    ['a packet type that does not exist', Buffer.from([0x00, 0x00]), 1002, 'malformedPacket'],
    [
      'a remaining length of five bytes',
      Buffer.from([0x82, 0x80, 0x80, 0x80, 0x80, 0x01]),
      1002,
      'malformedPacket',
    ],
    ['wrong header flags', edited(subscribe, 0, 0x80), 1002, 'malformedPacket'],
    ['a string longer than its packet', edited(subscribe, 5, 200), 1002, 'malformedPacket'],
    ['a requested QoS of 3', edited(subscribe, subscribe.length - 1, 3), 1002, 'malformedPacket'],
    ['a publish with QoS 3', Buffer.from([0x36, 0x05, 0, 1, 97, 0, 1]), 1002, 'malformedPacket'],
    ['a subscribe without filters', Buffer.from([0x82, 0x02, 0, 1]), 1002, 'protocolViolation'],
    ['an unsubscribe without filters', Buffer.from([0xa2, 0x02, 0, 1]), 1002, 'protocolViolation'],
    ['an empty publish', Buffer.from([0x30, 0x00]), 1002, 'malformedPacket'],
    [
      'a publish to a wildcard',
      generate({ cmd: 'publish', topic: 'a/+', payload: '', qos: 0, dup: false, retain: false }),
      1002,
      'protocolViolation',
    ],
    ['a second CONNECT', generate(connectPacket({})), 1002, 'protocolViolation'],
    ['a packet only servers send', Buffer.from([0xd0, 0x00]), 1002, 'protocolViolation'],
    ['an AUTH packet of MQTT 5', Buffer.from([0xf0, 0x00]), 1002, ''],
    ['a packet that announces too much', Buffer.from([0x30, 0xff, 0xff, 0x7f]), 1009, 'packetTooLarge'],
  ])('closes on %s', async (_name, bytes, code, reason) => {
    const { url, gateway } = await startGateway()
    const bystander = await connectRaw(url)
    const client = await connectRaw(url)
    client.sendBytes(bytes)
    expect((await client.closed).code).toBe(code)
    if (reason) expect(gateway.stats().closed).toEqual({ [reason]: 1 })
    bystander.send({ cmd: 'pingreq' })
    expect(await bystander.next()).toMatchObject({ cmd: 'pingresp' })
  })

  it('closes on a packet before CONNECT, on text, and on a broken WebSocket frame', async () => {
    const { url, gateway } = await startGateway()
    const early = await openRaw(url)
    early.send({ cmd: 'pingreq' })
    expect((await early.closed).code).toBe(1002)
    const text = await connectRaw(url)
    text.ws.send('hello')
    expect((await text.closed).code).toBe(1003)
    const broken = await connectRaw(url)
    const { _socket: socket } = broken.ws as unknown as { _socket: { write: (bytes: Buffer) => void } }
    socket.write(Buffer.from([0xff, 0xff, 0xff]))
    expect((await broken.closed).code).toBe(1002)
    expect(gateway.stats().closed).toEqual({ protocolViolation: 1, textFrame: 1, malformedPacket: 1 })
  })

  it('survives 300 connections of random bytes, before and after CONNECT', async () => {
    const { url, gateway } = await startGateway({ closeTimeoutMs: 100 })
    const failures: unknown[] = []
    const onFailure = (error: unknown) => failures.push(error)
    process.on('unhandledRejection', onFailure)
    for (let round = 0; round < 10; round++) {
      await Promise.all(
        Array.from({ length: 30 }, async (_, i) => {
          const client = i % 2 ? await connectRaw(url) : await openRaw(url)
          const bytes = randomBytes(1 + i * 7)
          if (i % 3 === 0) bytes[0] = 0x82
          if (i % 3 === 1) bytes[1] = bytes.length - 2
          client.sendBytes(bytes)
          await sleep(5)
          client.ws.terminate()
        }),
      )
    }
    await until(() => gateway.stats().connections === 0)
    process.off('unhandledRejection', onFailure)
    expect(failures).toEqual([])
    expect(gateway.stats().opened).toBe(300)
  })
})

describe('packets in pieces', () => {
  it('reads packets cut into single bytes and several in one frame', async () => {
    const { url } = await startGateway()
    const client = await openRaw(url)
    const all = Buffer.concat([generate(connectPacket({})), subscribe, generate({ cmd: 'pingreq' })])
    for (const byte of all) client.sendBytes(Buffer.from([byte]))
    expect([(await client.next()).cmd, (await client.next()).cmd, (await client.next()).cmd]).toEqual([
      'connack',
      'suback',
      'pingresp',
    ])
    client.sendBytes(Buffer.concat([subscribe, generate({ cmd: 'pingreq' }), subscribe.subarray(0, 4)]))
    client.sendBytes(subscribe.subarray(4))
    expect([(await client.next()).cmd, (await client.next()).cmd, (await client.next()).cmd]).toEqual([
      'suback',
      'pingresp',
      'suback',
    ])
  })

  it('takes a packet of the size limit and refuses one byte more', async () => {
    const { url } = await startGateway({ maxPacketBytes: 1_000 })
    const packet = (size: number) =>
      generate({
        cmd: 'publish',
        topic: 'a',
        payload: Buffer.alloc(size - 6),
        qos: 0,
        dup: false,
        retain: false,
      })
    const client = await connectRaw(url)
    expect(packet(1_000).length).toBe(1_000)
    client.sendBytes(packet(1_000))
    client.send({ cmd: 'pingreq' })
    expect(await client.next()).toMatchObject({ cmd: 'pingresp' })
    client.sendBytes(packet(1_001).subarray(0, 10))
    expect(await client.closed).toEqual({ code: 1009, reason: 'a packet may have 1000 bytes' })
    const huge = await connectRaw(url)
    huge.sendBytes(Buffer.alloc(5_000))
    expect((await huge.closed).code).toBe(1009)
  })

  it('closes a client that sends more packets a second than allowed', async () => {
    const { url, gateway } = await startGateway({ maxPacketsPerSecond: 50 })
    const client = await connectRaw(url)
    for (let i = 0; i < 49; i++) client.send({ cmd: 'pingreq' })
    for (let i = 0; i < 49; i++) await client.next()
    client.send({ cmd: 'pingreq' })
    expect((await client.closed).code).toBe(1008)
    expect(gateway.stats().closed).toEqual({ tooManyPackets: 1 })
  })
})

describe('time', () => {
  it('closes after one and a half keep-alives of silence, and not while the client pings', async () => {
    const { url } = await startGateway()
    const silent = await connectRaw(url, { keepalive: 1 })
    const alive = await connectRaw(url, { keepalive: 1 })
    const never = await connectRaw(url, { keepalive: 0 })
    const pinging = setInterval(() => alive.send({ cmd: 'pingreq' }), 400)
    const started = performance.now()
    expect((await silent.closed).code).toBe(4003)
    expect(performance.now() - started).toBeGreaterThan(1_300)
    expect(performance.now() - started).toBeLessThan(10_000)
    await sleep(500)
    clearInterval(pinging)
    expect([alive.ws.readyState, never.ws.readyState]).toEqual([1, 1])
  })

  it('closes who does not finish CONNECT in time', async () => {
    const { url, gateway } = await startGateway({
      connectTimeoutMs: 80,
      authenticate: () => new Promise(() => undefined),
    })
    const [idle, waiting] = [await openRaw(url), await openRaw(url)]
    waiting.send(connectPacket({}))
    expect([(await idle.closed).code, (await waiting.closed).code]).toEqual([4004, 4004])
    expect(gateway.stats()).toMatchObject({ connections: 0, closed: { connectTimeout: 2 } })
  })

  it('closes when the session expires', async () => {
    const { url, gateway, hub } = await startGateway({
      authenticate: () =>
        Promise.resolve({
          ownerId: 'ada',
          session: { userId: 'ada' },
          expiresAt: new Date(Date.now() + 150),
        }),
    })
    const client = await connectRaw(url)
    await subscribeRaw(client, 'a')
    expect(hub.publish('a', eventOf(1))).toBe(1)
    expect(await client.closed).toEqual({ code: 4002, reason: 'session expired' })
    expect(gateway.stats().closed).toEqual({ sessionExpired: 1 })
    expect(hub.publish('a', eventOf(1))).toBe(0)
  })

  it('does not end a session early that expires in more than 24 days', async () => {
    const expiresAt = new Date(Date.now() + 90 * 86_400_000)
    const { url } = await startGateway({
      authenticate: () => Promise.resolve({ ownerId: 'ada', session: { userId: 'ada' }, expiresAt }),
    })
    const client = await connectRaw(url)
    await sleep(50)
    expect(client.ws.readyState).toBe(1)
  })

  it('destroys the socket of a client that does not confirm the close', async () => {
    const { url, gateway } = await startGateway({ closeTimeoutMs: 100 })
    const client = await connectRaw(url)
    client.ws.pause()
    expect(gateway.disconnect(() => true, 'banned')).toBe(1)
    const started = performance.now()
    await gateway.close()
    expect(performance.now() - started).toBeGreaterThan(50)
    expect(performance.now() - started).toBeLessThan(10_000)
  })
})
