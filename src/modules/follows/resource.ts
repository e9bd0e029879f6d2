import { byId, slot, type Resource } from '../../kernel/envelope/resource.ts'
import { shape } from '../../kernel/envelope/shape.ts'
import { presentFollow, presentFollowCount, type RelationState } from './present.ts'
import { Follow, FollowCount } from './schema.ts'
import { findBlocksBy, findFollowCounts, findRelations, type CountsRow, type RelationRow } from './store.ts'

/** Relations, by `pairId`. */
const followResource: Resource<RelationRow, RelationState> = {
  name: 'follows',
  load: (db, ids) => findRelations(db, ids),
  references: (row) => ({ users: [row.fromUserId, row.toUserId] }),
  async viewerState({ db, viewer }, rows) {
    const own = [...rows].filter(([, row]) => row.fromUserId === viewer.id)
    if (own.length === 0) return new Map()
    const blocks = await findBlocksBy(
      db,
      viewer.id,
      own.map(([, row]) => row.toUserId),
    )
    return new Map(
      own.flatMap(([id, row]) => {
        const blockedAt = blocks.get(row.toUserId)
        return blockedAt ? [[id, { blockedAt }] as const] : []
      }),
    )
  },
}

/** How many follow a user and are followed, by internal user id. */
const followCountResource: Resource<CountsRow> = {
  name: 'followCounts',
  load: async (db, ids) => byId(await findFollowCounts(db, ids), (row) => row.id),
  references: () => ({}),
}

export const followSlots = {
  follows: slot(followResource, Follow, presentFollow),
  followCounts: slot(followCountResource, FollowCount, presentFollowCount),
}

export const followShape = shape('follows', 'users', 'files')
export const followInfoShape = shape('follows', 'followCounts', 'users', 'files')
