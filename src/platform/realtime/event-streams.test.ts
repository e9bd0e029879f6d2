import { describe, expect, it } from 'vitest'
import { eventOf, until } from '../../../test/realtime/mqtt-harness.ts'
import { readStream, startStreamServer } from '../../../test/realtime/sse-harness.ts'
import { createEventStreams } from './event-streams.ts'
import { createHub } from './hub.ts'

async function start(limits: { maxStreams?: number } = {}) {
  const hub = createHub()
  const streams = createEventStreams<{ userId: string }>({ hub, retryMs: 1_000, ...limits })
  const url = await startStreamServer((res, req) => {
    const userId = (req.url ?? '/').slice(1)
    streams.open(res, { userId }, { ownerId: userId, filters: ['net/a', 'net/b'] })
  })
  return { hub, streams, url, connect: (userId: string) => readStream(`${url}${userId}`) }
}

describe('all event streams', () => {
  it('answers 503 when full', async () => {
    const { connect, streams } = await start({ maxStreams: 1 })
    expect((await connect('ada')).response.statusCode).toBe(200)
    const refused = await connect('bob')
    expect([refused.response.statusCode, refused.response.headers['retry-after']]).toEqual([503, '5'])
    expect(streams.stats()).toMatchObject({ streams: 1, opened: 1 })
  })

  it('disconnects by session and cuts subscriptions at once', async () => {
    const { hub, connect, streams } = await start()
    const [ada, bob] = [await connect('ada'), await connect('bob')]
    expect(streams.revoke((_session, filter) => filter === 'net/a', 'ada')).toBe(1)
    expect(hub.publish('net/a', eventOf(1, 1))).toBe(1)
    expect(streams.revoke(({ userId }, filter) => userId === 'bob' && filter === 'net/a')).toBe(1)
    expect(hub.publish('net/a', eventOf(2, 2))).toBe(0)
    expect(hub.publish('net/b', eventOf(3, 3))).toBe(2)
    expect(streams.disconnect(({ userId }) => userId === 'bob', 'banned')).toBe(1)
    expect(await bob.ended).toBe('end')
    expect(bob.events().at(-1)).toEqual({
      event: 'close',
      data: '{"reason":"disconnected","message":"banned"}',
    })
    await until(() => ada.events().length === 1)
    expect(streams.stats()).toMatchObject({ streams: 1, closed: { disconnected: 1 } })
  })

  it('closes all, spread out, after delivering what was published, each with its own time to return', async () => {
    const { hub, connect, streams } = await start()
    const clients = await Promise.all(['a', 'b', 'c', 'd'].map(connect))
    for (let n = 1; n <= 200; n++) hub.publish('net/a', eventOf(n, n))
    await streams.close({ drainMs: 120 })
    await Promise.all(clients.map(({ ended }) => ended))
    for (const { records } of clients) {
      expect(records.filter(({ event }) => event === 'message.created').length).toBe(200)
      expect(records.at(-1)).toEqual({ event: 'close', data: '{"reason":"serverShutdown"}' })
    }
    const retries = clients.map(({ records }) => Number(records.at(-2)?.retry))
    expect(retries.sort((a, b) => a - b)).toEqual([1_000, 1_030, 1_060, 1_090])
    expect((await connect('late')).response.statusCode).toBe(503)
    expect(streams.stats()).toMatchObject({ streams: 0, closed: { serverShutdown: 4 } })
  })
})
