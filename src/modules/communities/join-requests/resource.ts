import { byId, slot, type Resource } from '../../../kernel/envelope/resource.ts'
import { shape } from '../../../kernel/envelope/shape.ts'
import { presentJoinRequest } from './present.ts'
import { JoinRequest } from './schema.ts'
import { findJoinRequestsById, type ShownJoinRequestRow } from './store.ts'

/** Join requests. Whoever may see one is decided before it is named. */
const joinRequestResource: Resource<ShownJoinRequestRow> = {
  name: 'joinRequests',
  load: async (db, ids) => byId(await findJoinRequestsById(db, ids), (row) => row.id),
  references: (row) => ({ users: [row.userId, row.responderId] }),
}

export const joinRequestSlots = { joinRequests: slot(joinRequestResource, JoinRequest, presentJoinRequest) }
export const joinRequestShape = shape('joinRequests', 'users', 'files')
