import type { Tx } from '../../kernel/database.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import { addChannelMembers, createChannelFor, removeChannelMembers } from '../channels/index.ts'
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

export async function addToBackingChannel(tx: Tx, viewer: Viewer, { id }: { id: string }, userIds: string[]) {
  if (userIds.length > 0) await addChannelMembers(tx, viewer, id, userIds)
}

export async function removeFromBackingChannel(
  tx: Tx,
  viewer: Viewer,
  { id }: { id: string },
  userIds: string[],
) {
  if (userIds.length > 0) await removeChannelMembers(tx, viewer, id, userIds)
}

export const banFromBackingChannel = removeFromBackingChannel
export const unbanFromBackingChannel = removeFromBackingChannel
