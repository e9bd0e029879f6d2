import type { DeliveryRow } from '../../delivery/webhooks/log.ts'
import type { Db } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import { cutPage, parsePage, type Page } from '../../kernel/paging.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import { requireWebhookAdmin, type WebhookRules } from './actions.ts'
import type { DeliveriesQuery } from './schema.ts'
import { findWebhook, findWebhooks, type EndpointRow } from './store.ts'

export async function listWebhooks(db: Db, viewer: Viewer): Promise<EndpointRow[]> {
  requireWebhookAdmin(viewer)
  return findWebhooks(db)
}

export async function getWebhook(db: Db, viewer: Viewer, id: string): Promise<EndpointRow> {
  requireWebhookAdmin(viewer)
  return (await findWebhook(db, id)) ?? fail('notFound')
}

/** The delivery log of an endpoint, newest first. */
export async function queryDeliveries(
  db: Db,
  viewer: Viewer,
  { log }: WebhookRules,
  webhookId: string,
  query: DeliveriesQuery,
): Promise<Page<DeliveryRow>> {
  await getWebhook(db, viewer, webhookId)
  const cursor = parsePage(query)
  return cutPage(await log.list(db, webhookId, query, cursor), cursor, ({ seq }) => [seq])
}

export async function getDelivery(
  db: Db,
  viewer: Viewer,
  { log }: WebhookRules,
  { webhookId, deliveryId }: { webhookId: string; deliveryId: string },
): Promise<DeliveryRow & { body: string }> {
  await getWebhook(db, viewer, webhookId)
  return (await log.find(db, webhookId, deliveryId)) ?? fail('notFound')
}
