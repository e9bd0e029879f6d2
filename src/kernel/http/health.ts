import type { HttpServer } from '../../platform/http/server.ts'
import type { Db } from '../database.ts'
import { findHandled } from '../outbox/store.ts'

/** Whether the process lives, and whether it can serve: what load balancers ask. */
export function serveHealth(http: HttpServer, db: Db): void {
  http.get('/healthz', { schema: { hide: true } }, async () => ({ status: 'ok' }))
  http.get('/readyz', { schema: { hide: true } }, async (_request, reply) => {
    try {
      await findHandled(db)
      return { status: 'ok' }
    } catch {
      return reply
        .status(503)
        .header('retry-after', 5)
        .send({ status: 'unavailable', reason: 'the database does not answer' })
    }
  })
}
