import type { Db, Tx } from '../../kernel/database.ts'

/** Who is sent webhooks, and how that is signed. */
export interface Endpoint {
  id: string
  url: string
  /** Whether the path of the event is appended to the URL. */
  appendsPath: boolean
  /** Event names, or `*` for all that tell of what happened. */
  events: readonly string[]
  /** What to sign with, newest first: two while a rotation lasts. */
  secrets: readonly string[]
  /** What holds when a pre-hook gives no answer. */
  defaultAction: 'allow' | 'deny'
  prehookTimeoutMs: number
}

/** Where the endpoints are kept, as far as delivery has to know. */
export interface Endpoints {
  /** All that are enabled; none while webhooks are switched off. */
  list(db: Db): Promise<readonly Endpoint[]>
  /** Disables one that says it is gone. */
  disable(tx: Tx, webhookId: string, reason: string): Promise<void>
}

/** Whether an endpoint wants to hear of an event. */
export function wants(endpoint: Endpoint, event: string): boolean {
  return endpoint.events.includes('*') || endpoint.events.includes(event)
}
