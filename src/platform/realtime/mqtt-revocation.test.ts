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

/** A hook that waits until it is told how to answer. */
function gate<T>() {
  const answers: ((value: T) => void)[] = []
  return { ask: () => new Promise<T>((resolve) => answers.push(resolve)), answers }
}

describe('revoking', () => {
  it('cuts a live subscription at once and leaves the rest', async () => {
    const { url, hub, gateway } = await startGateway()
    const client = await connectClient(url, { username: 'ada' })
    const bob = await connectRaw(url, { username: 'bob' })
    await client.subscribeAsync(['net/chat/c1/#', 'net/chat/c2/#'])
    await subscribeRaw(bob, 'net/chat/c1/#')
    const heard: string[] = []
    client.on('message', (topic) => heard.push(topic))

    const isC1 = (filter: string) => filter.startsWith('net/chat/c1/')
    expect(gateway.revoke(({ userId }, filter) => userId === 'ada' && isC1(filter))).toBe(1)
    expect(hub.publish('net/chat/c1/f', eventOf(1))).toBe(1)
    expect(hub.publish('net/chat/c2/f', eventOf(2))).toBe(1)
    await until(() => heard.length === 1)
    expect(heard).toEqual(['net/chat/c2/f'])
    expect(gateway.revoke((_session, filter) => isC1(filter), 'ada')).toBe(0)
    expect(gateway.revoke((_session, filter) => isC1(filter), 'nobody')).toBe(0)
    expect(gateway.revoke((_session, filter) => isC1(filter), 'bob')).toBe(1)
    expect([client.connected, bob.ws.readyState]).toEqual([true, 1])
  })

  it('also cuts a subscription that is being authorized', async () => {
    const { ask, answers } = gate<boolean>()
    const { url, hub, gateway } = await startGateway({ authorize: ask })
    const client = await connectRaw(url)
    const granted = subscribeRaw(client, 'secret', 'open')
    await until(() => answers.length === 2)
    gateway.revoke((_session, filter) => filter === 'secret')
    for (const answer of answers) answer(true)
    expect(await granted).toEqual([128, 0])
    expect(hub.interests().filters).toEqual(['open'])
  })

  it('and one whose hook is still running', async () => {
    const { ask, answers } = gate<void>()
    const { url, gateway } = await startGateway({ onSubscribed: ask })
    const client = await connectRaw(url)
    const granted = subscribeRaw(client, 'secret')
    await until(() => answers.length === 1)
    expect(gateway.revoke(() => true)).toBe(1)
    answers[0]?.()
    expect(await granted).toEqual([128])
  })
})

describe('disconnecting', () => {
  it('ends matching connections with the reason', async () => {
    const { url, gateway } = await startGateway()
    const [ada, bob] = [
      await connectRaw(url, { username: 'ada' }),
      await connectRaw(url, { username: 'bob' }),
    ]
    expect(gateway.disconnect(({ userId }) => userId === 'ada', 'banned')).toBe(1)
    expect(await ada.closed).toEqual({ code: 1008, reason: 'banned' })
    expect(bob.ws.readyState).toBe(1)
    expect(gateway.disconnect(({ userId }) => userId === 'bob', 'ü'.repeat(200))).toBe(1)
    const { reason } = await bob.closed
    expect(Buffer.byteLength(reason)).toBeLessThanOrEqual(123)
    expect(reason).toMatch(/^ü{60}$/)
  })

  it('also ends one whose sign-in is still being looked up', async () => {
    const { ask, answers } = gate<{ ownerId: string; session: { userId: string } }>()
    const { url, gateway, hub } = await startGateway({ authenticate: ask })
    const client = await openRaw(url)
    client.send(connectPacket({}))
    await until(() => answers.length === 1)
    expect(gateway.disconnect(({ userId }) => userId === 'ada', 'banned')).toBe(0)
    answers[0]?.({ ownerId: 'ada', session: { userId: 'ada' } })
    expect(await client.next()).toMatchObject({ cmd: 'connack', returnCode: 2 })
    expect(await client.closed).toEqual({ code: 1008, reason: 'banned' })
    expect(hub.stats().subscribers).toBe(0)
  })

  it('forgets a client that left while being looked up', async () => {
    const { ask, answers } = gate<{ ownerId: string; session: { userId: string } }>()
    const closings: unknown[] = []
    const { url, gateway, hub } = await startGateway({
      authenticate: ask,
      onClosed: (...args) => closings.push(args),
    })
    const client = await openRaw(url)
    client.send(connectPacket({}))
    await until(() => answers.length === 1)
    client.ws.terminate()
    // The socket is not read while a hook runs, so the end is seen right after it.
    answers[0]?.({ ownerId: 'ada', session: { userId: 'ada' } })
    await until(() => gateway.stats().connections === 0)
    expect(hub.stats()).toMatchObject({ subscribers: 0, owners: 0 })
  })
})

describe('shutting down', () => {
  it('delivers what was published, then closes with 1001 and a hint, and refuses newcomers', async () => {
    const { url, hub, gateway } = await startGateway()
    const clients = await Promise.all(Array.from({ length: 5 }, () => connectRaw(url)))
    for (const client of clients) await subscribeRaw(client, 'a')
    for (let n = 0; n < 500; n++) hub.publish('a', eventOf({ n, text: 'x'.repeat(400) }))
    const closing = gateway.close({ drainMs: 200 })
    await expect(openRaw(url)).rejects.toThrow('503')
    const endings = await Promise.all(clients.map(({ closed }) => closed))
    await closing
    for (const [i, { code, reason }] of endings.entries()) {
      expect(code).toBe(1001)
      expect(reason).toBe(`server restarting; reconnect after ${i * 40} ms`)
    }
    for (const { packets } of clients) {
      expect(
        packets.map((p) => (JSON.parse(String('payload' in p && p.payload)) as { n: number }).n),
      ).toEqual(Array.from({ length: 500 }, (_, n) => n))
    }
    expect(gateway.stats()).toMatchObject({ connections: 0, closed: { serverShutdown: 5 } })
  })

  it('spreads the closes over the time it is given', async () => {
    const { url, gateway } = await startGateway()
    const clients = await Promise.all(Array.from({ length: 10 }, () => connectRaw(url)))
    const started = performance.now()
    const times = clients.map(({ closed }) => closed.then(() => performance.now() - started))
    await gateway.close({ drainMs: 500 })
    const ends = (await Promise.all(times)).sort((a, b) => a - b)
    expect(ends[0]).toBeLessThan(150)
    expect(ends[9]).toBeGreaterThan(300)
    expect(ends[9]).toBeLessThan(1_500)
  })

  it('lets the published client come back by itself', async () => {
    const first = await startGateway()
    const client = await connectClient(first.url, { reconnectPeriod: 30, clientId: 'tab' })
    await client.subscribeAsync('a')
    first.gateway.disconnect(() => true, 'moved')
    await new Promise<void>((resolve) => client.once('connect', () => resolve()))
    const message = nextMessage(client)
    await until(() => first.hub.publish('a', eventOf(1)) === 1)
    expect((await message).payload).toBe('1')
  })
})
