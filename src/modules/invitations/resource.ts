import { byId, slot, type Resource } from '../../kernel/envelope/resource.ts'
import { shape } from '../../kernel/envelope/shape.ts'
import { presentInvitation } from './present.ts'
import { Invitation } from './schema.ts'
import { findInvitationsById, type ShownInvitationRow } from './store.ts'

/** Invitations. Whoever may see one is decided before it is named. */
const invitationResource: Resource<ShownInvitationRow> = {
  name: 'invitations',
  load: async (db, ids) => byId(await findInvitationsById(db, ids), (row) => row.id),
  references: (row) => ({ users: [row.userId, row.createdBy] }),
}

export const invitationSlots = { invitations: slot(invitationResource, Invitation, presentInvitation) }
export const invitationShape = shape('invitations', 'users', 'files')
