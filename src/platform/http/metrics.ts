import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { HttpServer } from './server.ts'

/** Numbers that are read together when somebody asks for them, by name. */
export interface Gauges {
  /** What each of them is. */
  described: Record<string, string>
  read(): Promise<Record<string, number>>
}

/** `/metrics` prints what one server measures in Prometheus' text form. */
export function serveMetrics(app: HttpServer, gauges: Gauges): void {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const duration = new Histogram({
    name: 'hubbub_http_request_seconds',
    help: 'Time from the first byte of a request to the last of its answer.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  })
  addGauges(registry, gauges, (error) => app.log.warn({ err: error }, 'gauges could not be read'))
  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'none'
    duration.observe(
      { method: request.method, route, status: String(reply.statusCode) },
      reply.elapsedTime / 1000,
    )
  })
  app.get('/metrics', { schema: { hide: true } }, async (_request, reply) =>
    reply.type(registry.contentType).send(await registry.metrics()),
  )
}

/** However many ask, it is read once in so long; and nobody waits longer than that for it. */
const keptMs = 2000

function addGauges(
  registry: Registry,
  { described, read }: Gauges,
  onFailed: (error: unknown) => void,
): void {
  let readAt = -Infinity
  let reading: Promise<Record<string, number>> = Promise.resolve({})
  const latest = () => {
    if (performance.now() - readAt < keptMs) return reading
    readAt = performance.now()
    // Not a number is what is not known: other metrics are wanted most when the database does not answer.
    const unknown = new Promise<Record<string, number>>((resolve) => setTimeout(resolve, keptMs, {}).unref())
    const known = read().catch((error: unknown): Record<string, number> => {
      onFailed(error)
      return {}
    })
    reading = Promise.race([known, unknown])
    return reading
  }
  for (const [name, help] of Object.entries(described)) {
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        this.set((await latest())[name] ?? NaN)
      },
    })
  }
}
