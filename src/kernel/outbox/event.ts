import type { Audience } from '../paths.ts'
import type { Roots } from '../envelope/assembler.ts'
import type { Shape } from '../envelope/shape.ts'

/** What an event's data is: an assembled envelope plus keys of its own, or only its own keys (flat payloads). */
export interface EventForm<Subject> {
  /** The event name on this way out. */
  name: string
  shape?: Shape
  roots?(subject: Subject): Roots
  extra?(subject: Subject): Record<string, unknown>
  /** Changes the data last: it shows things as they are when it is told, which may be later than what happened. */
  reshape?(data: Record<string, unknown>, subject: Subject): Record<string, unknown>
}

/** How an event looks to webhooks. */
export interface WebhookForm<Subject> extends EventForm<Subject> {
  /** The push notification it tells of, if it does: told only when there is one, in the longer envelope of those. */
  notification?: string
}

/**
 * An event: what happened, to what, who hears of it, and how it looks on each way out. The subject is what the action
 * stores in the outbox: ids and paths, never whole objects.
 */
export interface EventDefinition<Subject = unknown> {
  name: string
  /** Another spelling of the name, by which event streams know it too. */
  alias?: string
  audiences(subject: Subject): Audience[]
  /** The `path` of the realtime envelope; by default the first topic of the audiences. */
  path?(subject: Subject): string
  /** Whose right to listen the event changes, if this one does. */
  access?(subject: Subject): AccessChange | undefined
  realtime: EventForm<Subject> | null
  webhooks: WebhookForm<Subject>[]
}

/**
 * A change of who may listen: connections of these users join a group before the event goes out and leave one after
 * it; every subscription they hold is judged again. `everyone` stands for all who are connected: for rare events only.
 */
export interface AccessChange {
  /** Internal ids. */
  userIds: readonly string[] | 'everyone'
  joins?: string
  leaves?: string
}

type Optional<T, K extends keyof T> = Omit<T, K> & Partial<Pick<T, K>>

/** Declares an event. `realtime: null` makes one that only other sinks hear of. */
export function defineEvent<Subject>(
  definition: Omit<EventDefinition<Subject>, 'realtime' | 'webhooks'> & {
    realtime: Optional<EventForm<Subject>, 'name'> | null
    webhooks?: WebhookForm<Subject>[]
  },
): EventDefinition<Subject> {
  const { realtime, webhooks = [] } = definition
  return { ...definition, realtime: realtime && { name: definition.name, ...realtime }, webhooks }
}
