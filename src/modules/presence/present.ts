import { iso } from '../../kernel/schema.ts'
import type { Count } from './queries.ts'
import type { Presence, UserPresenceSetting } from './schema.ts'
import type { Choice, PresenceRow, ViewerRow } from './store.ts'

export function presentPresence({ userId, lastHeartbeat }: PresenceRow): Presence {
  return { userId, ...(lastHeartbeat && { lastHeartbeat: iso(lastHeartbeat) }) }
}

export function presentCount({ count, at }: Count) {
  return { count, referenceTimeStamp: iso(at), referenceTimestamp: iso(at) }
}

export function presentChoice({ isEnabled, enabledAt }: Choice): UserPresenceSetting {
  return { enabled: isEnabled, ...(enabledAt && { enabledAt: iso(enabledAt) }) }
}

export function presentViewer({ userId, joinedAt }: ViewerRow) {
  return { userId, joinedAt: iso(joinedAt) }
}
