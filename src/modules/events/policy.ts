import { can, type PermissionHolder } from '../../kernel/permissions.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import type { EventStatus } from './schema.ts'

interface Timed {
  startTime: Date
  endTime: Date
  cancelledAt: Date | null
}

/** How an event stands at a time. */
export function statusOf({ startTime, endTime, cancelledAt }: Timed, at: Date): EventStatus {
  if (cancelledAt !== null) return 'cancelled'
  if (at < startTime) return 'scheduled'
  return at < endTime ? 'live' : 'ended'
}

type Holder = PermissionHolder | null

/** Who makes events for a community. */
export function canCreateEvent(viewer: Viewer, membership: Holder): boolean {
  return can('CREATE_EVENT', viewer, membership)
}

/** Its host, and who looks after the events of its community. */
export function canEditEvent(viewer: Viewer, event: { userId: string }, membership: Holder): boolean {
  return event.userId === viewer.id || can('MANAGE_COMMUNITY_EVENTS', viewer, membership)
}

export function canDeleteEvent(viewer: Viewer, event: { userId: string }, membership: Holder): boolean {
  return canEditEvent(viewer, event, membership) || can('DELETE_EVENT', viewer, membership)
}
