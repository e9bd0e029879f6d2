import { byId, slot, type Resource } from '../../../kernel/envelope/resource.ts'
import { shape } from '../../../kernel/envelope/shape.ts'
import { networkId } from '../../../kernel/paths.ts'
import { iso } from '../../../kernel/schema.ts'
import { findReadable } from '../queries.ts'
import { postShape } from '../resource.ts'
import { findPostsById } from '../store.ts'
import { Pin, PinTarget } from './schema.ts'
import { findPinsById, findPinTargetsById, type PinRow, type PinTargetRow } from './store.ts'

/** Whether the viewer may read what is pinned. */
type PinState = boolean

const pinResource: Resource<PinRow, PinState> = {
  name: 'pins',
  load: (db, ids) => findPinsById(db, ids),
  references: (row) => ({ posts: [row.postId], users: [row.pinnedBy] }),
  async viewerState({ db, viewer }, rows) {
    const posts = await findPostsById(db, [...new Set([...rows.values()].map((row) => row.postId))])
    const readable = await findReadable(
      db,
      viewer,
      byId(posts, (post) => post.id),
    )
    return new Map([...rows].map(([id, row]) => [id, readable.has(row.postId)]))
  },
  visible: (_row, _viewer, isReadable) => isReadable === true,
}

const pinTargetResource: Resource<PinTargetRow> = {
  name: 'pinTargets',
  load: async (db, ids) => byId(await findPinTargetsById(db, ids), (row) => row.targetId),
  references: () => ({}),
}

function presentPin(row: PinRow): Pin {
  return {
    referenceId: row.postId,
    referenceType: 'post',
    placement: row.placement as Pin['placement'],
    pinnedBy: row.pinnedByPublicId,
    pinnedAt: iso(row.pinnedAt),
  }
}

function presentPinTarget(row: PinTargetRow): PinTarget {
  return {
    targetId: row.targetType === 'network' ? networkId : row.targetId,
    targetType: row.targetType as PinTarget['targetType'],
    lastPinsUpdatedAt: iso(row.lastPinsUpdatedAt),
  }
}

export const pinSlots = {
  pins: slot(pinResource, Pin, presentPin),
  pinTargets: slot(pinTargetResource, PinTarget, presentPinTarget),
}

export const pinShape = shape('pinTargets', 'pins', postShape)
