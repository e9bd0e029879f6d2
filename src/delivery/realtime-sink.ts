import type { Broadcast } from '../kernel/broadcast.ts'
import type { Db } from '../kernel/database.ts'
import type { Assemble } from '../kernel/envelope/assembler.ts'
import { assembleEvents } from '../kernel/outbox/assemble-events.ts'
import type { DispatchedEvent, Sink } from '../kernel/outbox/dispatcher.ts'
import type { AccessChange } from '../kernel/outbox/event.ts'
import type { Log } from '../platform/log.ts'
import { networkId, type Audience } from '../kernel/paths.ts'
import { pathOf } from './event-path.ts'

/** One event, encoded once for all who hear of it. */
export interface RealtimeMessage {
  id: string
  /** Its place in the commit order: what a client resumes after; null when it is told once and never again. */
  position: number | null
  event: string
  json: string
}

/** Where realtime messages go: this node's connections, or all nodes' through NATS. */
export interface RealtimeBus {
  /** Whether anybody listens to any of these. */
  wants(audiences: Audience[]): boolean
  publish(audiences: Audience[], message: RealtimeMessage): void
  /** Applies a change of who may listen: joins before its event goes out. Resolves when they will hear it. */
  letIn(change: AccessChange): Promise<void> | void
  /** Applies a change of who may listen: losses after its event went out. Resolves when no later event is heard. */
  shutOut(change: AccessChange): Promise<void>
}

/** The version of the envelope around events (docs/decisions/event-envelope.md). */
export const envelopeVersion = '1'

/** Builds the realtime envelope of each event that somebody listens to, and publishes it. */
export function createRealtimeSink(assemble: Assemble, db: Db, bus: RealtimeBus): Sink {
  return {
    name: 'realtime',
    async take(events) {
      // A change of access splits the batch: who joins by an event hears it, who leaves by one hears no later one.
      let from = 0
      for (const [i, { definition, subject }] of events.entries()) {
        const change = definition.access?.(subject)
        if (!change) continue
        await publish(events.slice(from, i))
        await bus.letIn(change)
        await publish([events[i]!])
        await bus.shutOut(change)
        from = i + 1
      }
      await publish(events.slice(from))
    },
  }

  async function publish(events: DispatchedEvent[]): Promise<void> {
    const wanted = events.filter(({ definition, audiences }) => definition.realtime && bus.wants(audiences))
    for (const message of await presentRealtime(assemble, db, wanted)) bus.publish(message.audiences, message)
  }
}

/** Publishes each broadcast that somebody listens to. */
export function createBroadcaster(assemble: Assemble, db: Db, bus: RealtimeBus, log: Log) {
  return (event: Broadcast): void => {
    if (!bus.wants(event.audiences)) return
    presentRealtime(assemble, db, [{ ...event, name: event.definition.name, position: null }]).then(
      (messages) => messages.forEach((message) => bus.publish(message.audiences, message)),
      (error: unknown) => log.warn({ err: error, event: event.definition.name }, 'broadcast lost'),
    )
  }
}

type Presentable = Omit<DispatchedEvent, 'position'> & Pick<RealtimeMessage, 'position'>

/** The realtime messages of events, in order; also what a resuming client is sent. */
export async function presentRealtime(
  assemble: Assemble,
  db: Db,
  events: Presentable[],
): Promise<(RealtimeMessage & { audiences: Audience[] })[]> {
  if (events.length === 0) return []
  const formed = events.flatMap((event) =>
    event.definition.realtime ? [{ event, form: event.definition.realtime }] : [],
  )
  const data = await assembleEvents(assemble, db, formed)
  return formed.map(({ event, form }, i) => {
    const { id, position, audiences, actorId, createdAt, subject } = event
    const envelope = {
      id,
      networkId,
      path: pathOf(event),
      eventType: form.name,
      senderId: actorId ?? networkId,
      sendTime: createdAt.toISOString(),
      version: envelopeVersion,
      ...(position !== null && { position: String(position) }),
      data: form.reshape?.(data[i]!, subject) ?? data[i],
    }
    return { id, position, event: form.name, json: JSON.stringify(envelope), audiences }
  })
}
