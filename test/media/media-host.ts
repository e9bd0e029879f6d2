import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Writable } from 'node:stream'
import { pino } from 'pino'
import { createMediaServer } from '../../src/platform/media/media-server.ts'
import type { MediaEngine, MediaHooks } from '../../src/platform/media/engine.ts'
import type { MediaLimits } from '../../src/platform/media/options.ts'

export const streamKey = 'k3y-0f-the-str3am'

export type MediaHost = {
  engine: MediaEngine
  /** Events in order, as `name streamId detail`. */
  events: string[]
  /** Viewers (`?viewer=`) who may not watch any more. */
  barred: Set<string>
  logged: () => string
  rtmp(streamId: string, key?: string): string
  http(streamId: string, name: string): string
  /** Resolves when an event that begins with the text has happened. */
  event(text: string): Promise<string>
  close(): Promise<void>
}

/** A media server on free ports, with its HTTP side mounted below `/<streamId>/`, and everything it says kept. */
export async function startMediaHost(folder: string, limits: Partial<MediaLimits> = {}): Promise<MediaHost> {
  const events: string[] = []
  const barred = new Set<string>()
  const waiting = new Set<() => void>()
  let logged = ''
  const sink = new Writable({
    write(chunk: Buffer, _encoding, done) {
      logged += chunk.toString()
      done()
    },
  })

  function tell(...words: (string | boolean)[]): void {
    events.push(words.join(' '))
    for (const check of waiting) check()
  }

  const hooks: MediaHooks = {
    async authorizePublish({ streamName, query }) {
      await new Promise((resolve) => setTimeout(resolve, 5))
      return query.key === streamKey ? { streamId: streamName } : { refuse: 'The stream key is not valid.' }
    },
    async authorizePlay({ streamName, query }) {
      return barred.has(query.viewer ?? '') ? { refuse: 'Not for you.' } : { streamId: streamName }
    },
    onPublishStart: (id) => tell('start', id),
    onInterrupted: (id, clean) => tell('interrupted', id, clean ? 'clean' : 'lost'),
    onReconnect: (id) => tell('reconnect', id),
    onPublishStop: (id, reason) => tell('stop', id, reason),
    onCodecRefused: (id, codec) => tell('codec', id, codec),
  }
  const log = pino({ level: 'debug' }, sink)
  const engine = createMediaServer({ folder, hooks, log, host: '127.0.0.1', port: 0, limits })
  const web = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://localhost')
    const [, streamId = '', name = ''] = url.pathname.split('/')
    if (name === 'live.flv') {
      const stays = async () => !barred.has(url.searchParams.get('viewer') ?? '')
      if (!engine.handleFlv(streamId, response, stays)) response.writeHead(404).end()
      return
    }
    const query = Object.fromEntries(url.searchParams)
    void engine.handleHls(streamId, { path: name, query }).then((answer) => {
      if (!answer) return response.writeHead(404).end()
      response.writeHead(200, { 'content-type': answer.contentType, 'cache-control': answer.cacheControl })
      return answer.stream ? answer.stream.pipe(response) : response.end(answer.body)
    })
  })
  await engine.start()
  const port = await listen(web)

  return {
    engine,
    events,
    barred,
    logged: () => logged,
    rtmp: (streamId, key = streamKey) => `rtmp://127.0.0.1:${engine.rtmpPort()}/live/${streamId}?key=${key}`,
    http: (streamId, name) => `http://127.0.0.1:${port}/${streamId}/${name}`,
    event: (text) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error(`no '${text}' in ${JSON.stringify(events)}`)), 12_000)
        function check(): void {
          const found = events.find((event) => event.startsWith(text))
          if (!found) return
          clearTimeout(timer)
          waiting.delete(check)
          resolve(found)
        }
        waiting.add(check)
        check()
      }),
    async close() {
      await engine.close()
      web.closeAllConnections()
      await new Promise((resolve) => web.close(resolve))
    },
  }
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
  })
}
