import type { Endpoint, Endpoints } from '../../delivery/webhooks/endpoint.ts'
import { now } from '../../platform/clock.ts'
import { databaseOf, type Db } from '../../kernel/database.ts'
import { everything, forget, isListening, onForget } from '../../kernel/invalidation.ts'
import { readSettings, settingsTopic } from '../network-settings/index.ts'
import { findEndpoints, updateEndpoint, type EndpointRow } from './store.ts'

/** Said when endpoints change. */
export const webhooksTopic = 'webhooks'

/** The endpoints as delivery knows them, remembered until one changes. `close` stops hearing of changes. */
export function createWebhookEndpoints(): Endpoints & { close(): void } {
  let remembered: { db: Db; rows: EndpointRow[] } | null = null
  let forgotten = 0
  const drop = () => {
    forgotten++
    remembered = null
  }
  const stops = [
    onForget(webhooksTopic, drop),
    onForget(settingsTopic, (section) => {
      if (section === 'webhook' || section === everything) drop()
    }),
  ]
  return {
    async list(db) {
      const root = databaseOf(db)
      if (remembered?.db === root && isListening(root)) return remembered.rows.map(toEndpoint)
      const before = forgotten
      const { enabled } = await readSettings(db, 'webhook')
      const rows = (await findEndpoints(db)).filter(
        (row) => row.isEnabled && (enabled || row.kind === 'prehook'),
      )
      if (before === forgotten && isListening(root)) remembered = { db: root, rows }
      return rows.map(toEndpoint)
    },
    async disable(tx, webhookId, disabledReason) {
      await updateEndpoint(tx, webhookId, { isEnabled: false, disabledReason, updatedAt: now() })
      await forget(tx, webhooksTopic, webhookId)
    },
    close: () => stops.forEach((stop) => stop()),
  }
}

function toEndpoint(row: EndpointRow): Endpoint {
  const { previousSecret, previousSecretUntil } = row
  const overlaps = previousSecret !== null && previousSecretUntil !== null && previousSecretUntil > now()
  return {
    id: row.id,
    url: row.url,
    appendsPath: row.kind === 'webhook',
    events: row.events,
    secrets: overlaps ? [row.secret, previousSecret] : [row.secret],
    defaultAction: row.defaultAction === 'deny' ? 'deny' : 'allow',
    prehookTimeoutMs: row.prehookTimeoutMs,
  }
}
