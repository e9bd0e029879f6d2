import type { UserDeparture } from '../users/index.ts'
import { deleteViewsOf } from './store.ts'

/** What a guest looked at is forgotten with them; it stays counted. */
export const viewDeparture: UserDeparture = { purged: deleteViewsOf }
