import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { eventOf, until } from '../../../test/realtime/mqtt-harness.ts'
import { seededRandom } from '../../../test/realtime/random.ts'
import { readStream, startStreamServer } from '../../../test/realtime/sse-harness.ts'
import { createFrame, type Frame } from './frame.ts'
import { createHub } from './hub.ts'
import { parsePosition } from './positions.ts'
import { openEventStream, type EventStream, type EventStreamOptions } from './sse.ts'

async function start(
  options: Partial<EventStreamOptions> = {},
  use: (stream: EventStream) => void = () => undefined,
) {
  const hub = createHub()
  const streams: EventStream[] = []
  const closings: string[] = []
  const url = await startStreamServer((res) => {
    const onClosed = (reason: string) => closings.push(reason)
    const stream = openEventStream(res, { hub, ownerId: 'ada', filters: ['net/#'], onClosed, ...options })
    streams.push(stream)
    use(stream)
  })
  const stream = () => streams[0] ?? expect.fail('no stream')
  return { hub, url, stream, closings }
}

const ids = (records: { id?: string }[]) => records.map(({ id }) => id)

describe('an event stream', () => {
  it('sends its head at once and live events with position, name and data', async () => {
    const { hub, url } = await start({ retryMs: 1_234, headers: { 'access-control-allow-origin': '*' } })
    const client = await readStream(url)
    expect(client.response.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
      'access-control-allow-origin': '*',
    })
    await until(() => hub.publish('net/chat', eventOf({ a: 1 }, 7)) === 1)
    hub.publish('other', eventOf(0, 8))
    hub.publish('net/chat', createFrame({ id: 'x', event: 'typing', json: '1' }))
    await until(() => client.records.length === 3)
    expect(client.records).toEqual([
      { retry: '1234' },
      { id: '7', event: 'message.created', data: '{"a":1}' },
      { event: 'typing', data: '1' },
    ])
  })

  it('filters by event name, and takes further filters and personal topics', async () => {
    const { hub, url, stream } = await start(
      { events: new Set(['message.created']), filters: [] },
      ({ subscriber }) => {
        hub.subscribe(subscriber, 'own/ada')
        hub.setPersonalTopics(subscriber, { messages: 'own/ada' })
        hub.joinGroup(subscriber, 'g')
      },
    )
    const client = await readStream(url)
    hub.publishToGroup(
      'g',
      'messages',
      createFrame({ id: 'x', position: '1', event: 'user.updated', json: '1' }),
    )
    hub.publishToGroup('g', 'messages', eventOf(2, 2))
    await until(() => client.events().length === 1)
    expect(client.events()[0]?.data).toBe('2')
    expect(stream().isClosed()).toBe(false)
  })

  it('sends heartbeats', async () => {
    const { url } = await start({ heartbeatMs: 20 })
    const client = await readStream(url)
    await until(() => client.records.filter(({ comment }) => comment).length >= 3)
  })

  it('ends when the client leaves, the session expires or it is closed, saying why', async () => {
    const left = await start()
    const client = await readStream(left.url)
    client.cut()
    await until(() => left.closings.length === 1)
    expect([left.closings, left.hub.stats().subscribers]).toEqual([['connectionLost'], 0])

    const expiring = await start({ expiresAt: new Date(Date.now() + 60) })
    const expired = await readStream(expiring.url)
    expect(await expired.ended).toBe('end')
    expect(expired.events()).toEqual([{ event: 'close', data: '{"reason":"sessionExpired"}' }])

    const closing = await start()
    const closed = await readStream(closing.url)
    closing.stream().close('disconnected', { message: 'banned', retryMs: 9 })
    closing.stream().close('serverShutdown')
    expect(await closed.ended).toBe('end')
    expect(closed.records.slice(1)).toEqual([
      { retry: '9' },
      { event: 'close', data: '{"reason":"disconnected","message":"banned"}' },
    ])
    expect(closing.closings).toEqual(['disconnected'])
    await closing.stream().ended
  })

  it('drops a slow reader, with bounded memory, and serves the others', async () => {
    const streams: EventStream[] = []
    const { hub, url, closings } = await start({ maxBufferedBytes: 512 * 1024 }, (stream) =>
      streams.push(stream),
    )
    const slow = await readStream(url)
    const fast = await readStream(url)
    await until(() => streams.length === 2)
    slow.response.pause()
    let mostBuffered = 0
    let published = 0
    for (; closings.length === 0 && published < 2_000; published++) {
      hub.publish('net/a', eventOf('x'.repeat(60_000), published + 1))
      await until(() => fast.events().length === published + 1)
      mostBuffered = Math.max(mostBuffered, streams[0]?.bufferedBytes() ?? 0)
    }
    expect(closings).toEqual(['slowReader'])
    expect(mostBuffered).toBeLessThanOrEqual(512 * 1024 + 70_000)
    expect(hub.stats().subscribers).toBe(1)
    slow.response.resume()
    expect(await slow.ended).toBe('cut')
  })
})

describe('resuming', () => {
  it('replays, then joins the live events held meanwhile, without gap or double', async () => {
    const { hub, url, stream } = await start({ resume: true })
    const client = await readStream(url)
    for (const n of [3, 4, 5, 6]) hub.publish('net/a', eventOf(n, n))
    hub.publish('net/a', createFrame({ id: 'live', event: 'typing', json: '0' }))
    await sleep(20)
    expect(client.events()).toEqual([])
    // Position 2 was received before; 4 is repeated; 9 and 10 tell numbers from text.
    await stream().replay(
      [2, 3, 4, 4].map((n) => eventOf(n, n)),
      '2',
    )
    for (const n of [4, 9, 10, 3]) hub.publish('net/a', eventOf(n, n))
    await until(() => client.events().length === 7)
    await sleep(20)
    expect(ids(client.events())).toEqual(['3', '4', '5', '6', undefined, '9', '10'])
  })

  it('goes live after an empty replay, leaving out what the client has', async () => {
    const { hub, url, stream } = await start({ resume: true })
    const client = await readStream(url)
    hub.publish('net/a', eventOf(5, 5))
    hub.publish('net/a', eventOf(6, 6))
    await stream().replay([], '5')
    await until(() => client.events().length === 1)
    expect(ids(client.events())).toEqual(['6'])
  })

  it('tells of a gap before it goes on', async () => {
    const { url, stream } = await start({ resume: true })
    const client = await readStream(url)
    stream().gap({ lastEventId: '3', resumesAfter: '90' })
    await stream().replay([eventOf(91, 91)], '90')
    await until(() => client.events().length === 2)
    expect(client.events()).toEqual([
      { id: '90', event: 'gap', data: '{"lastEventId":"3","resumesAfter":"90"}' },
      { id: '91', event: 'message.created', data: '91' },
    ])
  })

  it('reads the past no faster than the client, and holds live events within the bound', async () => {
    let read = 0
    function* past(): Generator<Frame> {
      for (let n = 1; n <= 1_000; n++) {
        read = n
        yield eventOf('x'.repeat(60_000), n)
      }
    }
    const { hub, url, stream, closings } = await start({ resume: true, maxBufferedBytes: 1024 * 1024 })
    const client = await readStream(url)
    client.response.pause()
    const replaying = stream().replay(past())
    await sleep(100)
    const readWhileStalled = read
    expect(readWhileStalled).toBeLessThan(1_000)
    expect(stream().bufferedBytes()).toBeLessThan(200_000)
    hub.publish('net/a', eventOf('live', 1_001))
    client.response.resume()
    await replaying
    await until(() => client.events().length === 1_001, 10_000)
    expect(ids(client.events())).toEqual(Array.from({ length: 1_001 }, (_, i) => String(i + 1)))
    expect(closings).toEqual([])
  })

  it('drops who cannot follow the replay while too much happens', async () => {
    const { hub, url, stream, closings } = await start({ resume: true, maxBufferedBytes: 100_000 })
    const client = await readStream(url)
    for (let n = 1; n <= 3; n++) hub.publish('net/a', eventOf('x'.repeat(40_000), n))
    expect(closings).toEqual(['slowReader'])
    await stream().replay([eventOf(1, 1)])
    expect(await client.ended).toBe('cut')
  })

  it('ends the stream when the past cannot be read', async () => {
    const { url, stream, closings } = await start({ resume: true })
    const client = await readStream(url)
    async function* past(): AsyncGenerator<Frame> {
      yield eventOf(1, 1)
      await sleep(1)
      throw new Error('no database')
    }
    await expect(stream().replay(past())).rejects.toThrow('no database')
    expect(await client.ended).toBe('end')
    expect(client.events().map(({ event }) => event)).toEqual(['message.created', 'close'])
    expect(closings).toEqual(['replayFailed'])
  })

  it('ends quietly when the client leaves during a replay', async () => {
    const { url, stream, closings, hub } = await start({ resume: true })
    const client = await readStream(url)
    async function* past(): AsyncGenerator<Frame> {
      for (let n = 1; ; n++) {
        yield eventOf('x'.repeat(60_000), n)
        await sleep(1)
      }
    }
    const replaying = stream().replay(past())
    client.response.pause()
    await sleep(30)
    client.cut()
    await replaying
    expect(closings).toEqual(['connectionLost'])
    expect(hub.stats().subscribers).toBe(0)
  })

  it('gives every event exactly once and in order over 300 forced reconnects while events go on', async () => {
    const hub = createHub()
    const random = seededRandom(23)
    const log: Frame[] = []
    const url = await startStreamServer((res, req) => {
      const after = parsePosition(String(req.headers['last-event-id'])) ?? '0'
      const stream = openEventStream(res, { hub, ownerId: 'ada', filters: ['net/#'], resume: true })
      // Pages read with pauses between them, to their end, as from a database.
      async function* past(): AsyncGenerator<Frame> {
        for (let at = Number(after); at < log.length;) {
          const page = log.slice(at, at + 7)
          await sleep(random() * 3)
          yield* page
          at += page.length
        }
      }
      stream.replay(past(), after).catch(() => undefined)
    })
    let producing = true
    async function produce(): Promise<void> {
      while (producing) {
        for (let i = Math.floor(random() * 6); i > 0; i--) {
          const frame = eventOf(log.length + 1, log.length + 1)
          log.push(frame)
          hub.publish('net/a', frame)
        }
        await sleep(random() * 2)
      }
    }
    const produced = produce()
    const seen: string[] = []
    let last = '0'
    for (let connection = 0; connection < 300; connection++) {
      const client = await readStream(url, last)
      await sleep(random() * 12)
      client.cut()
      await client.ended
      for (const { id = '?' } of client.events()) seen.push((last = id))
    }
    producing = false
    await produced
    const final = await readStream(url, last)
    await until(() => final.events().at(-1)?.id === String(log.length) || last === String(log.length))
    seen.push(...ids(final.events()).map((id) => id ?? '?'))
    expect(seen).toEqual(log.map((_, i) => String(i + 1)))
    expect(log.length).toBeGreaterThan(1_000)
  }, 60_000)
})
