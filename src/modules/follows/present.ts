import { iso } from '../../kernel/schema.ts'
import type { Follow, FollowCount } from './schema.ts'
import type { CountsRow, RelationRow } from './store.ts'

/** What only the one it starts from sees of a relation. */
export interface RelationState {
  blockedAt: Date
}

export function presentFollow(row: RelationRow, state?: RelationState): Follow {
  return {
    from: row.fromPublicId,
    fromUserPublicId: row.fromPublicId,
    fromUserInternalId: row.fromUserId,
    to: row.toPublicId,
    toUserPublicId: row.toPublicId,
    toUserInternalId: row.toUserId,
    status: state ? 'blocked' : row.status,
    createdAt: iso(state?.blockedAt ?? row.createdAt),
    updatedAt: iso(state?.blockedAt ?? row.updatedAt),
  }
}

export function presentFollowCount(row: CountsRow): FollowCount {
  return {
    userId: row.publicId,
    followerCount: row.followerCount,
    followingCount: row.followingCount,
    pendingCount: row.pendingCount,
  }
}
