import type { DispatchedEvent } from '../kernel/outbox/dispatcher.ts'
import { networkId, parseMembersAudience } from '../kernel/paths.ts'

/** The `path` an event is told under: its own, or the first topic that hears of it. */
export function pathOf({
  definition,
  subject,
  audiences,
}: Pick<DispatchedEvent, 'definition' | 'subject' | 'audiences'>): string {
  const topic = audiences.find((audience) => parseMembersAudience(audience) === null)
  return definition.path?.(subject) ?? topic ?? networkId
}
