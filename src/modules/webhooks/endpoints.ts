import type { Endpoint, Endpoints } from '../../delivery/webhooks/endpoint.ts'
import { now } from '../../platform/clock.ts'
import { databaseOf, type Db } from '../../kernel/database.ts'
import { everything, forget } from '../../kernel/invalidation.ts'
import { createMemory } from '../../kernel/memory.ts'
import { readSettings, settingsTopic } from '../network-settings/index.ts'
import { findEndpoints, updateEndpoint, type EndpointRow } from './store.ts'

/** Said when endpoints change. */
export const webhooksTopic = 'webhooks'

const memory = createMemory<EndpointRow[]>(1, [
  { topic: webhooksTopic, drops: () => everything },
  { topic: settingsTopic, drops: (section) => (section === 'webhook' ? everything : null) },
])

/** The endpoints as delivery knows them, remembered until one changes. */
export const webhookEndpoints: Endpoints = {
  async list(db) {
    const rows = await memory.recall(databaseOf(db), 'enabled', () => findEnabled(db))
    return rows.map(toEndpoint)
  },
  async disable(tx, webhookId, disabledReason) {
    await updateEndpoint(tx, webhookId, { isEnabled: false, disabledReason, updatedAt: now() })
    await forget(tx, webhooksTopic, webhookId)
  },
}

async function findEnabled(db: Db): Promise<EndpointRow[]> {
  const { enabled } = await readSettings(db, 'webhook')
  const rows = await findEndpoints(db)
  return rows.filter((row) => row.isEnabled && (enabled || row.kind === 'prehook'))
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
