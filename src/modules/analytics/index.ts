import type { Slice } from '../../kernel/slice.ts'
import { analyticsRoutes } from './routes.ts'
import type { ViewTarget } from './target.ts'

export { viewDeparture } from './departure.ts'
export { type ViewTarget } from './target.ts'

/** How often things were looked at, and by whom. */
export function analyticsSlice(targets: ViewTarget[]): Slice {
  return { name: 'analytics', routes: (routes) => analyticsRoutes(routes, targets) }
}
