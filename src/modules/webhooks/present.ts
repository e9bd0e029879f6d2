import type { Static } from 'typebox'
import type { DeliveryRow } from '../../delivery/webhooks/log.ts'
import { iso } from '../../kernel/schema.ts'
import type { Delivery, Webhook } from './schema.ts'
import type { EndpointRow } from './store.ts'

/** Without its secret, which is shown when it is made and never again. */
export function presentWebhook(row: EndpointRow, at: Date): Static<typeof Webhook> {
  const overlaps = row.previousSecretUntil !== null && row.previousSecretUntil > at
  return {
    webhookId: row.id,
    url: row.url,
    events: row.events,
    description: row.description,
    previousSecretExpiresAt: overlaps ? iso(row.previousSecretUntil) : null,
    defaultAction: row.defaultAction === 'deny' ? 'deny' : 'allow',
    prehookTimeoutMs: row.prehookTimeoutMs,
    isEnabled: row.isEnabled,
    disabledReason: row.disabledReason,
    createdAt: iso(row.createdAt),
    updatedAt: iso(row.updatedAt),
  }
}

export function presentDelivery(row: DeliveryRow): Static<typeof Delivery> {
  const last = row.attemptLog.at(-1)
  return {
    deliveryId: row.messageId,
    webhookId: row.webhookId,
    event: row.name,
    state: row.state,
    attempts: row.attempts,
    nextAttemptAt: row.state === 'pending' ? iso(row.dueAt) : null,
    finishedAt: iso(row.finishedAt),
    createdAt: iso(row.createdAt),
    status: last?.status ?? null,
    error: last?.error ?? null,
    durationMs: last?.durationMs ?? null,
    responseBody: last?.responseBody ?? null,
    log: row.attemptLog,
  }
}
