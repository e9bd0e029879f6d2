import { newId } from '../../platform/ids.ts'
import { now } from '../../platform/clock.ts'
import { nudgeAfterCommit, type Tx } from '../database.ts'
import type { EventDefinition } from './event.ts'
import { insertEvents } from './store.ts'

/** What the action says of an event: who did it (internal user id, null for the system) and the subject. */
export interface Happening<Subject> {
  actorId: string | null
  subject: Subject
}

/**
 * Records that something happened, inside the transaction that made it so. This is the only way to tell the world:
 * the dispatcher reads it after the commit, and a rollback takes it back.
 */
export async function emit<Subject>(
  tx: Tx,
  definition: EventDefinition<Subject>,
  ...happenings: Happening<Subject>[]
): Promise<void> {
  if (happenings.length === 0) return
  const createdAt = now()
  await insertEvents(
    tx,
    happenings.map(({ actorId, subject }) => ({
      id: newId(),
      name: definition.name,
      audiences: definition.audiences(subject),
      actorId,
      subject,
      createdAt,
    })),
  )
  nudgeAfterCommit(tx)
}
