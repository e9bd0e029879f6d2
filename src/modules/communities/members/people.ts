import type { Db } from '../../../kernel/database.ts'
import { byId } from '../../../kernel/envelope/resource.ts'
import { fail } from '../../../kernel/errors.ts'
import { findUsersById, resolveUserIds, type UserRow } from '../../users/index.ts'

/** People named by their public ids, each once, in that order. Fails with `notFound` when one is unknown. */
export async function requirePeople(db: Db, userIds: string[]): Promise<UserRow[]> {
  const wanted = [...new Set(userIds)]
  const known = byId(await findUsersById(db, await resolveUserIds(db, wanted)), (user) => user.userId)
  const unknown = wanted.filter((userId) => !known.has(userId))
  if (unknown.length > 0) fail('notFound', `no such user: ${unknown.join(', ')}`)
  return wanted.map((userId) => known.get(userId)!)
}

/** As `requirePeople`, for those who are about to get something: accounts that were deleted are unknown. */
export async function requireLivingPeople(db: Db, userIds: string[]): Promise<UserRow[]> {
  const people = await requirePeople(db, userIds)
  const deleted = people.filter((user) => user.isDeleted).map((user) => user.userId)
  return deleted.length === 0 ? people : fail('notFound', `no such user: ${deleted.join(', ')}`)
}
