import { slot, type Resource } from '../../kernel/envelope/resource.ts'
import { shape } from '../../kernel/envelope/shape.ts'
import type { Db } from '../../kernel/database.ts'
import { can } from '../../kernel/permissions.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import { findMembershipsOf, isMember } from '../communities/index.ts'
import { findReadableEvents } from '../events/index.ts'
import { postCommentTarget } from '../posts/index.ts'
import { findItems, type ItemRow } from './list-store.ts'
import { presentItem } from './present.ts'
import { NotificationTrayItem } from './schema.ts'

/** An item as one reader sees it, under one id (internal ids). */
export function itemFor(viewerId: string, itemId: string): string {
  return `${viewerId}:${itemId}`
}

function byViewer(ids: string[]): Map<string, string[]> {
  const itemsOf = new Map<string, string[]>()
  for (const id of ids) {
    const [viewerId = '', itemId = ''] = id.split(':')
    itemsOf.set(viewerId, [...(itemsOf.get(viewerId) ?? []), itemId])
  }
  return itemsOf
}

/** Items as the viewer sees them; in no broadcast form, since each is made for its reader. */
const itemResource: Resource<ItemRow, { isVisible: boolean }> = {
  name: 'notificationTrayItems',
  async load(db, ids) {
    const loaded = new Map<string, ItemRow>()
    for (const [viewerId, itemIds] of byViewer(ids))
      for (const row of await findItems(db, viewerId, itemIds)) loaded.set(itemFor(viewerId, row.id), row)
    return loaded
  },
  references: (row) => ({
    users: row.actors.map(({ id }) => id),
    events: row.referenceType === 'event' ? [row.referenceId] : [],
  }),
  async viewerState({ db, viewer }, rows) {
    const visible = await findVisible(db, viewer, [...rows.values()])
    return new Map([...rows].map(([key, { id }]) => [key, { isVisible: visible.has(id) }]))
  },
  visible: (_row, _viewer, state) => state?.isVisible === true,
}

/** Which items are of something the viewer may still read, and, where only keepers are told, still keep. */
export async function findVisible(db: Db, viewer: Viewer, rows: ItemRow[]): Promise<Set<string>> {
  const onPosts = rows.filter((row) => row.referenceType === 'post')
  const onEvents = rows.filter((row) => row.referenceType === 'event')
  const asked = rows.filter((row) => row.kind === 'join_request')
  const [readable, events, memberships] = await Promise.all([
    onPosts.length > 0
      ? postCommentTarget.findReadable(db, viewer, [...new Set(onPosts.map((row) => row.referenceId!))])
      : new Map<string, unknown>(),
    onEvents.length > 0
      ? findReadableEvents(db, viewer, [...new Set(onEvents.map((row) => row.referenceId!))])
      : new Set<string>(),
    asked.length > 0
      ? findMembershipsOf(
          db,
          viewer.id,
          asked.map((row) => row.targetId),
        )
      : [],
  ])
  const kept = new Set(
    memberships
      .filter((membership) => isMember(membership) && can('ADD_COMMUNITY_USER', membership))
      .map(({ communityId }) => communityId),
  )
  const isVisible = (row: ItemRow) => {
    if (row.referenceType === 'post') return readable.has(row.referenceId!)
    if (row.referenceType === 'event') return events.has(row.referenceId!)
    return row.kind !== 'join_request' || kept.has(row.targetId)
  }
  return new Set(rows.filter(isVisible).map((row) => row.id))
}

export const traySlots = {
  notificationTrayItems: slot(itemResource, NotificationTrayItem, presentItem),
}

export const trayShape = shape('notificationTrayItems', 'users', 'files', 'events')
