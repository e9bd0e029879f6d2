import type { Db } from '../../../kernel/database.ts'
import { fail } from '../../../kernel/errors.ts'
import { findUsersById, resolveUserIds, type UserRow } from '../../users/index.ts'

/** People named by their public ids, each once. Fails with `notFound` when one is unknown. */
export async function requirePeople(db: Db, userIds: string[]): Promise<UserRow[]> {
  const wanted = [...new Set(userIds)]
  const people = await findUsersById(db, await resolveUserIds(db, wanted))
  if (people.length === wanted.length) return people
  const known = new Set(people.map((user) => user.userId))
  return fail('notFound', `no such user: ${wanted.filter((userId) => !known.has(userId)).join(', ')}`)
}

/** As `requirePeople`, for those who are about to get something: accounts that were deleted are unknown. */
export async function requireLivingPeople(db: Db, userIds: string[]): Promise<UserRow[]> {
  const people = await requirePeople(db, userIds)
  const deleted = people.filter((user) => user.isDeleted).map((user) => user.userId)
  return deleted.length === 0 ? people : fail('notFound', `no such user: ${deleted.join(', ')}`)
}
