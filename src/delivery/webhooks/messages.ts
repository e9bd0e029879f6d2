import { createHash } from 'node:crypto'
import type { Db } from '../../kernel/database.ts'
import type { Assemble } from '../../kernel/envelope/assembler.ts'
import { assembleEvents } from '../../kernel/outbox/assemble-events.ts'
import type { DispatchedEvent } from '../../kernel/outbox/dispatcher.ts'
import type { WebhookForm } from '../../kernel/outbox/event.ts'
import { notificationKey, type Announce, type Notification } from '../../kernel/outbox/notification.ts'
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

/** What webhooks are made with: what events are of, and whom they notify. */
export interface Presenting {
  assemble: Assemble
  announce: Announce
}

/** The messages of events, in order, for those of their names that somebody wants. */
export async function presentWebhooks(
  { assemble, announce }: Presenting,
  db: Db,
  events: DispatchedEvent[],
  isWanted: (name: string) => boolean,
): Promise<WebhookMessage[]> {
  const formed: FormedEvent[] = events.flatMap((event) =>
    event.definition.webhooks.filter(({ name }) => isWanted(name)).map((form) => ({ event, form })),
  )
  if (formed.length === 0) return []
  const notifying = formed.filter(({ form }) => form.notification !== undefined).map(({ event }) => event)
  const [assembled, notifications] = await Promise.all([
    assembleEvents(assemble, db, formed),
    notifying.length > 0 ? announce(db, [...new Set(notifying)]) : new Map<string, Notification>(),
  ])
  return formed.flatMap(({ event, form }, i) => {
    const whole = assembled[i]!
    const data = form.reshape?.(whole, event.subject) ?? whole
    const body = bodyOf({ event, form }, data, notifications)
    if (!body) return []
    const { name } = form
    const streamKey = streamKeyOf({ event, form })
    return [{ id: messageId(event.id, name), name, streamKey, body: JSON.stringify(body) }]
  })
}

/** Null for a notification of what concerns nobody. */
function bodyOf(
  { event, form: { name, notification } }: FormedEvent,
  data: Record<string, unknown>,
  notifications: Map<string, Notification>,
): object | null {
  if (notification === undefined) return { event: name, data }
  const told = notifications.get(notificationKey(event.id, notification))
  return told ? inEnvelope(event, { ...data, eventName: notification, ...told }) : null
}

function inEnvelope(event: DispatchedEvent, data: Record<string, unknown>): object {
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
