import type { Slot } from './envelope/resource.ts'
import type { Routes } from './http/routes.ts'
import type { EventDefinition } from './outbox/event.ts'
import type { TopicGuard } from './topics.ts'

/** What a slice offers to the composition root. */
export interface Slice {
  name: string
  slots?: Record<string, Slot>
  events?: EventDefinition[]
  topics?: TopicGuard[]
  routes?(routes: Routes): void
}
