import type { Db } from '../../kernel/database.ts'
import type { Sink } from '../../kernel/outbox/dispatcher.ts'
import type { Prehooks } from '../../kernel/prehook.ts'
import type { Log } from '../../platform/log.ts'
import { createOutbound } from '../../platform/outbound/outbound.ts'
import type { Endpoints } from './endpoint.ts'
import { createBearer, createPoster } from './post.ts'
import type { Presenting } from './messages.ts'
import { createPrehooks } from './prehooks.ts'
import { startWebhookSender } from './sender.ts'
import { createWebhookSink } from './sink.ts'

export interface WebhookDeliveryOptions {
  db: Db
  log: Log
  endpoints: Endpoints
  /** Signs a bearer token for the receiver. */
  signToken(claims: { sub: string; iat: number; exp: number }): Promise<string>
  version: string
  allowPrivate: boolean
  timeoutMs: number
  /** Pauses between attempts. */
  retrySeconds: readonly number[]
  keepDeliveredMs: number
}

/** Everything that posts to endpoints. */
export interface WebhookDelivery {
  prehooks: Prehooks
  /** Starts sending; answers the sink that writes what is to be sent. */
  start(presenting: Presenting): Sink
  /** Waits up to `graceMs` for requests under way; what was not sent goes on after the next start, or elsewhere. */
  stop(graceMs: number): Promise<void>
}

// More than all endpoints together send at once, so that none waits for another here.
const places = { concurrent: 1000, perOrigin: 500 }

export function createWebhookDelivery(options: WebhookDeliveryOptions): WebhookDelivery {
  const { db, log, endpoints, version, allowPrivate } = options
  const client = () => createOutbound({ userAgent: `Hubbub/${version}`, allowPrivate, ...places })
  const bearer = createBearer(options.signToken)
  // Somebody waits for a pre-hook: it has a client, and connections, of its own.
  const outbound = client()
  const prehookClient = client()
  const prehooks = createPrehooks({ db, endpoints, post: createPoster(prehookClient, bearer), log })
  let sender: ReturnType<typeof startWebhookSender> | null = null
  return {
    prehooks,
    start(presenting) {
      const started = startWebhookSender({ ...options, post: createPoster(outbound, bearer) })
      sender = started
      return createWebhookSink(presenting, db, endpoints, started.nudge)
    },
    async stop(graceMs) {
      await sender?.stop(() => outbound.close(graceMs))
      await Promise.all([outbound.close(0), prehookClient.close(graceMs)])
    },
  }
}
