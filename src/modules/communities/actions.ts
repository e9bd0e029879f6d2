import { now } from '../../platform/clock.ts'
import { newId } from '../../platform/ids.ts'
import type { Tx } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import { emit } from '../../kernel/outbox/emit.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import { requireCategories } from '../categories/index.ts'
import { ensureFeeds } from '../feeds/index.ts'
import { requireFile } from '../files/index.ts'
import { lockManagedCommunity } from './access.ts'
import { deleteBackingChannel, openBackingChannel, updateBackingChannel } from './backing-channel.ts'
import { communityCreated, communityDeleted, communityUpdated, communityUserAdded } from './events.ts'
import { requireLivingPeople } from './members/people.ts'
import { upsertMemberships } from './members/store.ts'
import { canAddUnasked, canMakeOfficial, creatorRoles } from './policy.ts'
import type { CreateCommunityBody, UpdateCommunityBody } from './schema.ts'
import { readJoinSettings } from './settings.ts'
import {
  hasDisplayName,
  insertCommunity,
  lockDisplayName,
  updateCommunityRow,
  type CommunityRow,
} from './store.ts'
import { trendShare } from './trend.ts'

/**
 * Makes a community with its creator as moderator and the given people as members. One made for an event names it.
 * Answers its id.
 */
export async function createCommunity(
  tx: Tx,
  viewer: Viewer,
  body: CreateCommunityBody,
  eventId: string | null = null,
): Promise<string> {
  const { userIds = [], metadata = {}, categoryIds = [] } = body
  const settings = settingsOf(body)
  if (settings.isOfficial && !canMakeOfficial(viewer)) fail('permissionDenied', 'isOfficial')
  const id = newId()
  const at = now()
  const people = await requireLivingPeople(tx, userIds)
  const members = people.map((user) => user.id).filter((userId) => userId !== viewer.id)
  if (members.length > 0 && !canAddUnasked(viewer, await readJoinSettings(tx))) {
    fail('permissionDenied', 'people are invited here, not added')
  }
  await requireCategories(tx, categoryIds)
  if (settings.avatarFileId != null) await requireFile(tx, settings.avatarFileId, 'avatarFileId', ['image'])
  if (body.isUniqueDisplayName) await requireUniqueName(tx, body.displayName, id)

  const feeds = await ensureFeeds(tx, 'community', id)
  const share = trendShare('join', at)
  const { displayName } = body
  const channelId = await openBackingChannel(
    tx,
    viewer,
    { ...settings, id, displayName, isPublic: body.isPublic ?? true },
    members,
  )
  await insertCommunity(tx, {
    ...settings,
    displayName,
    eventId,
    id,
    userId: viewer.id,
    channelId,
    metadata: JSON.stringify(metadata),
    categoryIds: [...new Set(categoryIds)],
    feedIds: [feeds.published, feeds.reviewing, feeds.declined],
    membersCount: members.length + 1,
    moderatorMemberCount: 1,
    trend: share,
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
    { ...membership, userId: viewer.id, roles: creatorRoles, trendShare: share },
    ...members.map((userId) => ({ ...membership, userId })),
  ])
  await emit(tx, communityCreated, { actorId: viewer.id, subject: { id, userIds: [viewer.id] } })
  if (members.length > 0)
    await emit(tx, communityUserAdded, { actorId: viewer.id, subject: { id, userIds: members } })
  return id
}

/** Changes what is given, for those with EDIT_COMMUNITY. Answers the id. */
export async function updateCommunity(
  tx: Tx,
  viewer: Viewer,
  communityId: string,
  body: UpdateCommunityBody,
): Promise<string> {
  const { community } = await lockManagedCommunity(tx, viewer, communityId, 'EDIT_COMMUNITY')
  const { metadata, categoryIds } = body
  const changes = settingsOf(body)
  if ((changes.isOfficial ?? community.isOfficial) !== community.isOfficial && !canMakeOfficial(viewer)) {
    fail('permissionDenied', 'isOfficial')
  }
  // A category that was deleted since may stay where it is, but not come in anew.
  if (categoryIds)
    await requireCategories(
      tx,
      categoryIds.filter((id) => !community.categoryIds.includes(id)),
    )
  if (changes.avatarFileId != null && changes.avatarFileId !== community.avatarFileId) {
    await requireFile(tx, changes.avatarFileId, 'avatarFileId', ['image'])
  }
  if (body.isUniqueDisplayName)
    await requireUniqueName(tx, changes.displayName ?? community.displayName, community.id)
  await updateCommunityRow(tx, community.id, {
    ...changes,
    ...(metadata && { metadata: JSON.stringify(metadata) }),
    ...(categoryIds && { categoryIds: [...new Set(categoryIds)] }),
    updatedAt: now(),
  })
  const closed = community.isPublic && body.isPublic === false
  await emit(tx, communityUpdated, { actorId: viewer.id, subject: { id: community.id, closed } })
  await updateBackingChannel(tx, viewer, community.id, changes)
  return community.id
}

/** Deletes a community, for those with DELETE_COMMUNITY. It stays readable by its id; what is inside does not. */
export async function deleteCommunity(tx: Tx, viewer: Viewer, communityId: string): Promise<void> {
  const { community } = await lockManagedCommunity(tx, viewer, communityId, 'DELETE_COMMUNITY')
  await removeCommunity(tx, viewer, community)
}

/** Deletes a community that is locked and living, whoever the viewer is. */
export async function removeCommunity(tx: Tx, viewer: Viewer, community: CommunityRow): Promise<void> {
  const at = now()
  await updateCommunityRow(tx, community.id, { isDeleted: true, deletedAt: at, updatedAt: at })
  await emit(tx, communityDeleted, { actorId: viewer.id, subject: { id: community.id } })
  await deleteBackingChannel(tx, viewer, community.id)
}

/** What is stored as it was sent. Named one by one: a body may hold anything, the names of other columns too. */
function settingsOf(body: UpdateCommunityBody) {
  return {
    displayName: body.displayName,
    description: body.description,
    avatarFileId: body.avatarFileId,
    isPublic: body.isPublic,
    isOfficial: body.isOfficial,
    isDiscoverable: body.isDiscoverable,
    requiresJoinApproval: body.requiresJoinApproval,
    onlyAdminCanPost: body.onlyAdminCanPost,
    needApprovalOnPostCreation: body.needApprovalOnPostCreation,
    allowCommentInStory: body.allowCommentInStory,
    notificationMode: body.notificationMode,
    tags: body.tags,
  }
}

async function requireUniqueName(tx: Tx, displayName: string, communityId: string): Promise<void> {
  await lockDisplayName(tx, displayName)
  if (await hasDisplayName(tx, displayName, communityId)) fail('duplicate', 'displayName')
}
