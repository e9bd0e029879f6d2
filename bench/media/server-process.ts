// The built-in media server in a process of its own. Sends its ports to the parent.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createLog } from '../../src/platform/log.ts'
import { createMediaServer } from '../../src/platform/media/media-server.ts'

const engine = createMediaServer({
  folder: process.argv[2]!,
  host: '127.0.0.1',
  port: 0,
  log: createLog('error', false),
  hooks: {
    authorizePublish: async ({ streamName }) => ({ streamId: streamName }),
    authorizePlay: async ({ streamName }) => ({ streamId: streamName }),
  },
})
await engine.start()
const web = createServer((request, response) => {
  const url = new URL(request.url ?? '/', 'http://localhost')
  const [, streamId = '', path = ''] = url.pathname.split('/')
  if (path === 'live.flv') {
    if (!engine.handleFlv(streamId, response, async () => true)) response.writeHead(404).end()
    return
  }
  void engine.handleHls(streamId, { path, query: Object.fromEntries(url.searchParams) }).then((answer) => {
    if (!answer) return response.writeHead(404).end()
    response.writeHead(200, { 'content-type': answer.contentType })
    return answer.stream ? answer.stream.pipe(response) : response.end(answer.body)
  })
})
web.listen(0, '127.0.0.1', () => {
  process.send?.({ rtmp: engine.rtmpPort(), http: (web.address() as AddressInfo).port })
})
process.on('disconnect', () => process.exit(0))
