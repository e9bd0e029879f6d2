import type { Tx } from '../../kernel/database.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import { banFromChannel } from '../channel-bans/index.ts'
import {
  addChannelMembers,
  applyRole,
  createChannelFor,
  deleteChannelFor,
  lockChannels,
  removeChannelMembers,
  unbanChannelMembers,
  updateChannelFor,
} from '../channels/index.ts'
import { channelRole } from './policy.ts'
import type { CommunityRow } from './store.ts'

// Every community has a chat channel of its own, with the same id and the same people. This file is all that the
// community knows of it.

export type Backed = Pick<CommunityRow, 'id' | 'displayName' | 'isPublic'> & {
  avatarFileId?: string | null | undefined
  notificationMode?: string | undefined
}

/** Opens the channel behind a new community; its creator moderates both. Answers the channel's public id. */
export async function openBackingChannel(
  tx: Tx,
  viewer: Viewer,
  community: Backed,
  memberIds: string[],
): Promise<string> {
  const { id, displayName, isPublic, avatarFileId, notificationMode } = community
  const { channelId } = await createChannelFor(tx, viewer, {
    id,
    channelId: id,
    type: 'community',
    communityId: id,
    displayName,
    avatarFileId,
    isPublic,
    notificationMode,
    memberIds,
  })
  return channelId
}

/** Shows a community's changes in its channel. Undefined members stay as they are. */
export async function updateBackingChannel(
  tx: Tx,
  viewer: Viewer,
  id: string,
  { displayName, avatarFileId, isPublic, notificationMode }: Partial<Backed>,
): Promise<void> {
  const changes = { displayName, avatarFileId, isPublic, notificationMode }
  if (Object.values(changes).every((value) => value === undefined)) return
  await updateChannelFor(tx, viewer, id, changes)
}

export async function deleteBackingChannel(tx: Tx, viewer: Viewer, id: string): Promise<void> {
  await deleteChannelFor(tx, viewer, id)
}

export async function addToBackingChannel(
  tx: Tx,
  viewer: Viewer,
  id: string,
  userIds: string[],
): Promise<void> {
  await addChannelMembers(tx, viewer, id, userIds)
}

export async function removeFromBackingChannel(
  tx: Tx,
  viewer: Viewer,
  id: string,
  userIds: string[],
): Promise<void> {
  await removeChannelMembers(tx, viewer, id, userIds)
}

/** Bans people from the channel too, which deletes what they said there. */
export async function banFromBackingChannel(
  tx: Tx,
  viewer: Viewer,
  id: string,
  userIds: string[],
): Promise<void> {
  await banFromChannel(tx, viewer, id, userIds)
}

export async function unbanFromBackingChannel(
  tx: Tx,
  viewer: Viewer,
  id: string,
  userIds: string[],
): Promise<void> {
  await unbanChannelMembers(tx, viewer, id, userIds)
}

/** Gives or takes the one role of a community's members that is about its channel. */
export async function changeBackingChannelModerators(
  tx: Tx,
  viewer: Viewer,
  id: string,
  userIds: string[],
  change: 'add' | 'remove',
): Promise<void> {
  const [channel] = await lockChannels(tx, [id])
  if (!channel || userIds.length === 0) return
  await applyRole(
    tx,
    viewer,
    channel,
    userIds,
    change === 'add' ? { add: channelRole } : { remove: channelRole },
  )
}
