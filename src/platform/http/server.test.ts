import { once } from 'node:events'
import { connect, type AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { createLog } from '../log.ts'
import { createHttpServer } from './server.ts'

it('closes at once, whatever connections were opened and never used', async () => {
  const server = await createHttpServer({
    log: createLog('silent', false),
    bodyLimit: 1024,
    trustedProxies: 0,
    corsOrigin: true,
    toErrorReply: () => ({ status: 500, body: {}, retryAfter: null }),
  })
  server.get('/', async () => ({ ok: true }))
  const url = await server.listen({ port: 0, host: '127.0.0.1' })
  const { port } = server.server.address() as AddressInfo
  const spare = connect(port, '127.0.0.1')
  await once(spare, 'connect')
  expect((await fetch(url)).status).toBe(200)
  const started = performance.now()
  await Promise.all([once(spare, 'close'), server.close()])
  expect(performance.now() - started).toBeLessThan(10_000)
})
