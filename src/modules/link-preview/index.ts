import type { Slice } from '../../kernel/slice.ts'
import type { Outbound } from '../../platform/outbound/outbound.ts'
import { linkPreviewRoutes } from './routes.ts'

/** What a link in a text leads to. `outbound` is closed by whoever made it. */
export function linkPreviewSlice(outbound: Outbound): Slice {
  return { name: 'link-preview', routes: (routes) => linkPreviewRoutes(routes, outbound) }
}
