import type { Slot } from './envelope/resource.ts'
import type { Routes } from './http/routes.ts'
import type { Job } from './jobs.ts'
import type { EventDefinition } from './outbox/event.ts'
import type { Db } from './database.ts'
import type { TopicGuard } from './topics.ts'
import type { Viewer } from './viewer.ts'

/** What a slice offers to the composition root. */
export interface Slice {
  name: string
  slots?: Record<string, Slot>
  events?: EventDefinition[]
  topics?: TopicGuard[]
  /** Groups whose events reach a viewer on their personal topics: the channels they are a member of. */
  groups?(db: Db, viewer: Viewer): Promise<string[]>
  jobs?: Job<never>[]
  routes?(routes: Routes): void
}

/** The names of all webhook events that slices tell of. */
export function webhookNames(slices: Slice[]): Set<string> {
  const events = slices.flatMap((slice) => slice.events ?? [])
  return new Set(events.flatMap((event) => event.webhooks.map(({ name }) => name)))
}

/** The events of all slices, by name. Throws when two slices declare the same. */
export function eventsByName(slices: Slice[]): Map<string, EventDefinition> {
  const events = new Map<string, EventDefinition>()
  for (const event of slices.flatMap((slice) => slice.events ?? [])) {
    if (events.has(event.name)) throw new Error(`event ${event.name} is declared twice`)
    events.set(event.name, event)
  }
  return events
}
