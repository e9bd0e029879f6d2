import { now } from '../../platform/clock.ts'
import { newId } from '../../platform/ids.ts'
import type { Tx } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import { emit } from '../../kernel/outbox/emit.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import { requireCategories } from '../categories/index.ts'
import { ensureFeeds } from '../feeds/index.ts'
import { findFilesById } from '../files/index.ts'
import { resolveUserIds } from '../users/index.ts'
import { communityCreated } from './events.ts'
import { upsertMemberships } from './members/store.ts'
import { canMakeOfficial, creatorRoles } from './policy.ts'
import type { CreateCommunityBody } from './schema.ts'
import { hasDisplayName, insertCommunity, lockDisplayName } from './store.ts'
import { trendShare } from './trend.ts'

/** Makes a community with its creator as moderator and the given people as members. Answers its id. */
export async function createCommunity(tx: Tx, viewer: Viewer, body: CreateCommunityBody): Promise<string> {
  const { userIds = [], isUniqueDisplayName = false, metadata = {}, categoryIds = [], ...settings } = body
  if (settings.isOfficial && !canMakeOfficial(viewer)) fail('permissionDenied', 'isOfficial')
  const id = newId()
  const at = now()
  const members = await requireUsers(tx, userIds)
  await requireCategories(tx, categoryIds)
  if (settings.avatarFileId) await requireAvatar(tx, settings.avatarFileId)
  if (isUniqueDisplayName) await requireUniqueName(tx, settings.displayName, id)

  const feeds = await ensureFeeds(tx, 'community', id)
  const added = members.filter((userId) => userId !== viewer.id)
  await insertCommunity(tx, {
    ...settings,
    id,
    userId: viewer.id,
    channelId: id,
    metadata: JSON.stringify(metadata),
    categoryIds: [...new Set(categoryIds)],
    feedIds: [feeds.published, feeds.reviewing, feeds.declined],
    membersCount: added.length + 1,
    moderatorMemberCount: 1,
    trend: trendShare('join', at),
    createdAt: at,
    updatedAt: at,
  })
  const membership = {
    communityId: id,
    membership: 'member',
    lastActivity: at,
    lastJoin: at,
    createdAt: at,
    updatedAt: at,
  }
  await upsertMemberships(tx, [
    { ...membership, userId: viewer.id, roles: creatorRoles, trendShare: trendShare('join', at) },
    ...added.map((userId) => ({ ...membership, userId })),
  ])
  await emit(tx, communityCreated, { actorId: viewer.id, subject: { id, userIds: [viewer.id] } })
  return id
}

/** Internal ids of people named by their public ids. Fails with `notFound` when one is unknown. */
async function requireUsers(tx: Tx, userIds: string[]): Promise<string[]> {
  const wanted = [...new Set(userIds)]
  const found = await resolveUserIds(tx, wanted)
  return found.length === wanted.length ? found : fail('notFound', 'userIds')
}

async function requireAvatar(tx: Tx, fileId: string): Promise<void> {
  const [file] = await findFilesById(tx, [fileId])
  if (!file || file.isDeleted) fail('notFound', 'avatarFileId')
}

async function requireUniqueName(tx: Tx, displayName: string, communityId: string): Promise<void> {
  await lockDisplayName(tx, displayName)
  if (await hasDisplayName(tx, displayName, communityId)) fail('duplicate', 'displayName')
}
