import { cachedResource } from '../../kernel/envelope/cached-resource.ts'
import { byId, slot, type Resource } from '../../kernel/envelope/resource.ts'
import { shape } from '../../kernel/envelope/shape.ts'
import { presentUser, presentUserShort } from './present.ts'
import { User, UserShort } from './schema.ts'
import { userRowTopic } from '../roles/index.ts'
import { findUsersById, type UserRow } from './store.ts'

/** People, by internal id. Deleted and banned people stay readable: what they made still names them. */
const userResource: Resource<UserRow> = cachedResource(
  {
    name: 'users',
    load: async (db, ids) => byId(await findUsersById(db, ids), (row) => row.id),
    references: (row) => ({ files: [row.avatarFileId] }),
  },
  userRowTopic,
  20_000,
)

export const userSlots = {
  users: slot(userResource, User, presentUser),
  usersShort: slot(userResource, UserShort, presentUserShort),
}

export const userShape = shape('users', 'files')
