import type { Slice } from '../../kernel/slice.ts'
import { markerSlots } from './resource.ts'
import { markerRoutes } from './routes.ts'

/** How far people have read, and what they have not. */
export const markers: Slice = {
  name: 'markers',
  slots: markerSlots,
  routes: markerRoutes,
}
