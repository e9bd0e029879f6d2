import type { UserDeparture } from '../users/index.ts'
import { deletePresencesOf } from './store.ts'

/** Where a guest was is forgotten with them. */
export const presenceDeparture: UserDeparture = { purged: deletePresencesOf }
