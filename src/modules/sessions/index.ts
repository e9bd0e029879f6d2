import type { Slice } from '../../kernel/slice.ts'
import { sessionRoutes, type SessionSettings } from './routes.ts'

export { createSession, endSessions, sessionTopic } from './actions.ts'
export { createSessionGuard, type SessionGuard } from './authenticate.ts'
export { spendVisitorRead } from './guests.ts'

export function sessionsSlice(settings: SessionSettings): Slice {
  return { name: 'sessions', routes: (routes) => sessionRoutes(routes, settings) }
}
