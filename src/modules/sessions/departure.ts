import { now } from '../../platform/clock.ts'
import type { UserDeparture } from '../users/index.ts'
import { deleteVisitorReads, revokeSessions } from './store.ts'

// The user's changed row already makes every node look at their tokens again. Their connections are cut by the event
// that tells them why, so they are not told to look again before it.
const endAll: NonNullable<UserDeparture['banned']> = async (tx, _viewer, userId) => {
  await revokeSessions(tx, { userId }, now())
}

/** Who is banned or deleted is signed out everywhere. */
export const sessionDeparture: UserDeparture = {
  banned: endAll,
  deleted: endAll,
  purged: (tx, userId) => deleteVisitorReads(tx, userId),
}
