import { createHash } from 'node:crypto'
import type { Db } from '../../kernel/database.ts'
import type { Assemble } from '../../kernel/envelope/assembler.ts'
import { assembleEvents } from '../../kernel/outbox/assemble-events.ts'
import type { DispatchedEvent } from '../../kernel/outbox/dispatcher.ts'
import type { WebhookForm } from '../../kernel/outbox/event.ts'
import { networkId } from '../../kernel/paths.ts'
import { pathOf } from '../event-path.ts'
import { envelopeVersion } from '../realtime-sink.ts'

/** A webhook as it is sent, to however many endpoints. */
export interface WebhookMessage {
  /** The same whenever it is made of the same event. */
  id: string
  name: string
  /** The object it is about. */
  streamKey: string
  body: string
}

/** An event and one of the forms it takes towards webhooks. */
interface FormedEvent {
  event: DispatchedEvent
  form: WebhookForm<unknown>
}

const notificationType = 'push-notification.created'

/** The messages of events, in order, for those of their names that somebody wants. */
export async function presentWebhooks(
  assemble: Assemble,
  db: Db,
  events: DispatchedEvent[],
  isWanted: (name: string) => boolean,
): Promise<WebhookMessage[]> {
  const formed: FormedEvent[] = events.flatMap((event) =>
    event.definition.webhooks.filter(({ name }) => isWanted(name)).map((form) => ({ event, form })),
  )
  if (formed.length === 0) return []
  const assembled = await assembleEvents(assemble, db, formed)
  return formed.flatMap(({ event, form }, i) => {
    const whole = assembled[i]!
    if (form.isTold?.(whole, event.subject) === false) return []
    const data = form.reshape?.(whole, event.subject) ?? whole
    const message = {
      id: messageId(event.id, form.name),
      name: form.name,
      streamKey: streamKeyOf({ event, form }),
      body: JSON.stringify(form.isNotification ? notification(event, data) : { event: form.name, data }),
    }
    return [message]
  })
}

function notification(event: DispatchedEvent, data: Record<string, unknown>) {
  return {
    id: event.id,
    networkId,
    path: pathOf(event),
    eventType: notificationType,
    senderId: event.actorId ?? networkId,
    // Spelt so here, and `sendTime` in realtime events.
    sentTime: event.createdAt.toISOString(),
    version: envelopeVersion,
    data,
  }
}

/** An event may take several forms, each of which is a message of its own. */
function messageId(eventId: string, name: string): string {
  return `${eventId}-${createHash('sha256').update(name).digest('hex').slice(0, 8)}`
}

/** The first root is what an event is about; those without one are about whatever their topic stands for. */
function streamKeyOf({ event, form }: FormedEvent): string {
  const [root] = Object.values(form.roots?.(event.subject) ?? {}).flat()
  return root ?? (pathOf(event) === networkId ? event.id : pathOf(event))
}
