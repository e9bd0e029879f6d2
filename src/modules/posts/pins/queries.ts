import type { Db } from '../../../kernel/database.ts'
import type { Viewer } from '../../../kernel/viewer.ts'
import { requireReadableCommunity } from '../../communities/index.ts'
import { globalTarget } from './actions.ts'
import type { PinsQuery, Placement } from './schema.ts'
import { findPins, pinId } from './store.ts'

/** The pins of a target, in order, and the target: roots of an envelope. */
export interface PinRoots {
  pins: string[]
  pinTargets: string[]
}

/** What a community pins: in one placement, or in both. */
export async function listCommunityPins(
  db: Db,
  viewer: Viewer,
  communityId: string,
  { placement, query = {} }: { placement?: Placement; query?: PinsQuery },
): Promise<PinRoots> {
  const { community } = await requireReadableCommunity(db, viewer, communityId)
  return rootsOf(db, community.id, placement, query.options?.orderBy)
}

/** What the network features. */
export async function listGlobalPins(db: Db): Promise<PinRoots> {
  return rootsOf(db, globalTarget, 'global')
}

async function rootsOf(
  db: Db,
  targetId: string,
  placement: Placement | undefined,
  order: 'asc' | 'desc' = 'desc',
): Promise<PinRoots> {
  return {
    pins: (await findPins(db, { targetId, placement }, order)).map(pinId),
    pinTargets: [targetId],
  }
}
