import type { Db } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import { findUsersById, viewerOf } from '../users/index.ts'

/** Who scheduled a post, as they would act by themselves now. Fails with `conflict` when they are banned or deleted. */
export async function requireAuthor(db: Db, userId: string): Promise<Viewer> {
  const [user] = await findUsersById(db, [userId])
  if (!user || user.isDeleted) return fail('conflict', 'Who scheduled it is deleted.')
  if (user.isGlobalBan) return fail('conflict', 'Who scheduled it is banned from this network.')
  return viewerOf(user)
}
