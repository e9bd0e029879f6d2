import { iso } from '../../kernel/schema.ts'
import type { Reactor } from './schema.ts'
import type { ReactionRow } from './store.ts'

export function presentReactor(row: ReactionRow): Reactor {
  return {
    reactionId: row.id,
    reactionName: row.name,
    userId: row.userPublicId,
    userPublicId: row.userPublicId,
    userPublicIdId: row.userPublicId,
    userInternalId: row.userId,
    createdAt: iso(row.createdAt),
    updatedAt: iso(row.createdAt),
  }
}
