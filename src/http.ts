import type { Config } from './config.ts'
import type { Db } from './kernel/database.ts'
import { fail } from './kernel/errors.ts'
import { toErrorReply } from './kernel/http/error-reply.ts'
import { createRequestLimits, type RequestLimits } from './kernel/http/request-limits.ts'
import { serveHealth } from './kernel/http/health.ts'
import { queueGauges } from './queue-gauges.ts'
import { serveMetrics } from './platform/http/metrics.ts'
import { serveOpenapi } from './platform/http/openapi.ts'
import { createHttpServer, type HttpServer } from './platform/http/server.ts'
import type { Log } from './platform/log.ts'

/** The HTTP server with what is no operation of the interface: errors, reference, metrics, health. */
export async function openHttp(
  config: Config,
  { log, version, db }: { log: Log; version: string; db: Db },
): Promise<HttpServer> {
  const http = await createHttpServer({
    log,
    bodyLimit: config.HUBBUB_MAX_BODY_BYTES,
    trustedProxies: config.trustedProxies,
    corsOrigin: config.corsOrigin,
    toErrorReply(error, request) {
      const { known, ...reply } = toErrorReply(error)
      if (!known) request.log.error({ err: error, reqId: request.id }, 'unexpected error')
      return reply
    },
  })
  await serveOpenapi(http, {
    title: 'Hubbub',
    version,
    description: 'Communities, feeds, chat and live video.',
    security: {
      bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
      apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key' },
      serverKey: { type: 'apiKey', in: 'header', name: 'x-server-key' },
    },
  })
  serveMetrics(http, queueGauges(db))
  serveHealth(http, db)
  return http
}

/** The rate limits that the settings ask for, on unknown paths too. The app's backend shows that it is one by a server key. */
export async function limitRequests(
  http: HttpServer,
  config: Config,
  serverKeys: ReadonlySet<string>,
): Promise<RequestLimits> {
  const limits = await createRequestLimits(http, {
    viewerLimit: config.HUBBUB_RATE_LIMIT,
    addressLimit: config.HUBBUB_RATE_LIMIT_ADDRESS,
    windowMs: config.HUBBUB_RATE_LIMIT_SECONDS * 1000,
    isBackend: ({ headers }) => serverKeys.has(String(headers['x-server-key'])),
  })
  http.setNotFoundHandler(async (request, reply) => {
    await limits.byAddress(request, reply)
    fail('notFound', 'no such operation')
  })
  return limits
}
