import { now } from '../../platform/clock.ts'
import { inTransaction, type Db } from '../../kernel/database.ts'
import type { Sink } from '../../kernel/outbox/dispatcher.ts'
import { wants, type Endpoints } from './endpoint.ts'
import { presentWebhooks, type Presenting } from './messages.ts'
import { insertDeliveries, insertMessages } from './store.ts'

/**
 * Writes what endpoints are to be sent: one message for each form of an event that somebody wants, one delivery for
 * each endpoint that does. Taking the same events again changes nothing. `onQueued` hears that there is work.
 */
export function createWebhookSink(
  presenting: Presenting,
  db: Db,
  endpoints: Endpoints,
  onQueued: () => void,
): Sink {
  return {
    name: 'webhooks',
    async take(events) {
      const told = events.filter(({ definition }) => definition.webhooks.length > 0)
      if (told.length === 0) return
      const enabled = await endpoints.list(db)
      if (enabled.length === 0) return
      const messages = await presentWebhooks(presenting, db, told, (name) =>
        enabled.some((endpoint) => wants(endpoint, name)),
      )
      if (messages.length === 0) return
      const deliveries = messages.flatMap((message) =>
        enabled
          .filter((endpoint) => wants(endpoint, message.name))
          .map((endpoint) => ({
            webhookId: endpoint.id,
            messageId: message.id,
            streamKey: message.streamKey,
          })),
      )
      const at = now()
      await inTransaction(db, async (tx) => {
        await insertMessages(tx, messages, at)
        await insertDeliveries(tx, deliveries, at)
      })
      onQueued()
    },
  }
}
