import type { Tx } from '../../kernel/database.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import { removeCommunity } from './actions.ts'
import { admit } from './members/changes.ts'
import { findMembership } from './members/store.ts'
import { lockCommunity } from './store.ts'

// Communities made for events (`createCommunity` with an event's id) belong to their event: who may do what is decided
// there, and they are in no list of communities.

/** Makes the viewer a member, unless they are banned. Nothing changes for members, or when the community is gone. */
export async function joinEventCommunity(tx: Tx, viewer: Viewer, communityId: string): Promise<void> {
  const community = await lockCommunity(tx, communityId)
  if (!community || community.isDeleted) return
  const membership = await findMembership(tx, communityId, viewer.id)
  if (membership?.membership === 'banned') return
  await admit(tx, viewer, community, [viewer.id], 'joined')
}

/** Deletes the community with its event. */
export async function deleteEventCommunity(tx: Tx, viewer: Viewer, communityId: string): Promise<void> {
  const community = await lockCommunity(tx, communityId)
  if (community && !community.isDeleted) await removeCommunity(tx, viewer, community)
}
