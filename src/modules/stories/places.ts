import type { Db } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import type { PermissionHolder } from '../../kernel/permissions.ts'
import { can } from '../../kernel/permissions.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import { findReadableCommunities, requireReadableCommunity } from '../communities/index.ts'
import { findBlockedAmong, isFollowing } from '../follows/index.ts'
import { findUsersById, findUsersByPublicId } from '../users/index.ts'
import { arePagesPrivate } from '../places/index.ts'
import { placeId, type Place } from './place.ts'
import type { AskedTarget } from './schema.ts'

/** A place and what the viewer is to it. */
export interface OpenPlace extends Place {
  membership: PermissionHolder | null
}

/**
 * The place a client names, when the viewer may see what is there. Fails with `notFound`; with `notAMember` for a
 * community that is known to exist, and `permissionDenied` for a page that is for followers only.
 */
export async function requirePlace(
  db: Db,
  viewer: Viewer,
  { targetType, targetId }: AskedTarget,
): Promise<OpenPlace> {
  if (targetType === 'community') {
    const { community, membership } = await requireReadableCommunity(db, viewer, targetId)
    return { targetType, targetId: community.id, membership }
  }
  const person = (await findPeople(db, [targetId])).get(targetId)
  if (person === undefined || (await findBlockedAmong(db, viewer.id, [person])).size > 0)
    return fail('notFound')
  if (!(await isPageOpen(db, viewer, person))) fail('permissionDenied', 'the page is for followers')
  return { targetType, targetId: person, membership: null }
}

/** Those among some places whose stories the viewer may see, in the order asked, each once. */
export async function findPlaces(db: Db, viewer: Viewer, asked: AskedTarget[]): Promise<Place[]> {
  const idsOf = (type: string) =>
    asked.filter(({ targetType }) => targetType === type).map(({ targetId }) => targetId)
  const communities = await findReadableCommunities(db, viewer, [...new Set(idsOf('community'))])
  const people = await findOpenPages(db, viewer, idsOf('user'))
  const places = new Map<string, Place>()
  for (const { targetType, targetId } of asked) {
    const id = targetType === 'user' ? people.get(targetId) : communities.has(targetId) ? targetId : undefined
    if (id === undefined) continue
    const place: Place = { targetType, targetId: id }
    places.set(placeId(place), place)
  }
  return [...places.values()]
}

async function findOpenPages(db: Db, viewer: Viewer, ids: string[]): Promise<Map<string, string>> {
  const people = await findPeople(db, ids)
  const blocked = await findBlockedAmong(db, viewer.id, [...people.values()])
  const open = new Map<string, string>()
  for (const [asked, id] of people) {
    if (!blocked.has(id) && (await isPageOpen(db, viewer, id))) open.set(asked, id)
  }
  return open
}

/** Internal ids of people, by the ids clients named them with: public ones, or internal ones, which win. */
async function findPeople(db: Db, ids: string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const [named, numbered] = await Promise.all([findUsersByPublicId(db, ids), findUsersById(db, ids)])
  return new Map(
    [
      ...named.filter((user) => !user.isDeleted).map((user) => [user.userId, user.id] as const),
      ...numbered.filter((user) => !user.isDeleted).map((user) => [user.id, user.id] as const),
    ].filter(([asked]) => ids.includes(asked)),
  )
}

async function isPageOpen(db: Db, viewer: Viewer, userId: string): Promise<boolean> {
  if (userId === viewer.id || can('DELETE_USER_FEED_POST', viewer)) return true
  return !(await arePagesPrivate(db)) || isFollowing(db, viewer.id, userId)
}
