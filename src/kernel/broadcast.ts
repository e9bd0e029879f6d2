import { newId } from '../platform/ids.ts'
import { now } from '../platform/clock.ts'
import type { Db } from './database.ts'
import type { Happening } from './outbox/emit.ts'
import type { EventDefinition } from './outbox/event.ts'
import type { Audience } from './paths.ts'

/** An event that is told to whoever listens now, and to nobody later: it has no place in the outbox. */
export interface Broadcast {
  id: string
  definition: EventDefinition
  audiences: Audience[]
  actorId: string | null
  subject: unknown
  createdAt: Date
}

type Listener = (event: Broadcast) => void
const listeners = new WeakMap<Db, Listener>()

/** Registers the one way out of broadcasts: realtime delivery. */
export function onBroadcast(db: Db, listener: Listener): void {
  listeners.set(db, listener)
}

/**
 * Tells of something that is soon no longer so (somebody types) without storing it: no webhook, no resumption, lost with
 * the process. What must be heard is `emit`ted.
 */
export function broadcast<Subject>(
  db: Db,
  definition: EventDefinition<Subject>,
  { actorId, subject }: Happening<Subject>,
): void {
  listeners.get(db)?.({
    id: newId(),
    definition: definition as EventDefinition,
    audiences: definition.audiences(subject),
    actorId,
    subject,
    createdAt: now(),
  })
}
