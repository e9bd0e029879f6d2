import type { Slice } from '../../kernel/slice.ts'
import type { WebhookRules } from './actions.ts'
import { webhookRoutes } from './routes.ts'

export { webhookEndpoints } from './endpoints.ts'

/** Endpoints that are told of what happens, and the log of how that went. Sending is `delivery/webhooks`. */
export function webhooksSlice(rules: WebhookRules): Slice {
  return { name: 'webhooks', routes: (routes) => webhookRoutes(routes, rules) }
}
