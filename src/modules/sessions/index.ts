import type { Slice } from '../../kernel/slice.ts'
import { forgettingSessions } from './forgetting.ts'
import { sessionRoutes, type SessionSettings } from './routes.ts'

export { createSession, sessionTopic } from './actions.ts'
export { createSessionGuard } from './authenticate.ts'
export { sessionDeparture } from './departure.ts'
export { spendVisitorRead } from './guests.ts'

export function sessionsSlice(settings: SessionSettings): Slice {
  return {
    name: 'sessions',
    jobs: [forgettingSessions],
    routes: (routes) => sessionRoutes(routes, settings),
  }
}
