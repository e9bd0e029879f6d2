import type { Slice } from '../../kernel/slice.ts'
import { invitationSlots } from './resource.ts'
import { invitationRoutes } from './routes.ts'
import type { InvitationTarget } from './target.ts'
import { byType } from './targets.ts'

export { closeInvitations } from './actions.ts'
export { createInvitationDeparture } from './departure.ts'
export { findInvited } from './store.ts'
export { type InvitationChange, type InvitationTarget } from './target.ts'

/** Invitations to whatever the targets are. */
export function invitationsSlice(targets: InvitationTarget[]): Slice {
  return {
    name: 'invitations',
    slots: invitationSlots,
    routes: (routes) => invitationRoutes(routes, byType(targets)),
  }
}
