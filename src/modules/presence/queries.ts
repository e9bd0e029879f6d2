import type { Db } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import { findChannel, findChannelId, requireReadableChannel } from '../channels/index.ts'
import { blockedIds } from '../follows/index.ts'
import { readSettings, settingsChangedAt } from '../network-settings/index.ts'
import { findUsersById } from '../users/index.ts'
import type { WatchedRooms } from './room.ts'
import {
  countOnline,
  countOnlineMembers,
  countRoomViewers,
  findChoice,
  findOnline,
  findOnlineMembers,
  findPresences,
  findRoomViewers,
  type PresenceRow,
} from './store.ts'
import { onlineWindow } from './window.ts'

/** So many people are named at most; counts count all. */
const shownAtOnce = 1000
/** Clients ask for all the viewers shown at once, and may ask for so many people. */
const viewersAtOnce = 100

/** Who is online, without those whom the viewer blocked or who blocked them. */
export async function listOnline(db: Db, viewer: Viewer, order: 'asc' | 'desc'): Promise<PresenceRow[]> {
  const { since } = await onlineWindow(db)
  return findOnline(db, since, { order, limit: shownAtOnce, without: await blockedIds(db, viewer.id) })
}

export interface Count {
  count: number
  at: Date
}

export async function countEveryoneOnline(db: Db): Promise<Count> {
  const { at, since } = await onlineWindow(db)
  return { count: await countOnline(db, since), at }
}

/** When people (public ids) were last heard of, in the order asked. */
export async function listPresences(db: Db, viewer: Viewer, userIds: string[]): Promise<PresenceRow[]> {
  await onlineWindow(db)
  const found = await findPresences(db, userIds, await blockedIds(db, viewer.id))
  const rows = new Map(found.map((row) => [row.userId, row]))
  return [...new Set(userIds)].flatMap((userId) => rows.get(userId) ?? [])
}

/** The members of a channel (internal or public id) who are online. */
export async function listOnlineMembers(db: Db, viewer: Viewer, channelId: string): Promise<PresenceRow[]> {
  const { since } = await onlineWindow(db)
  const id = await requireOpenChannel(db, viewer, channelId)
  return findOnlineMembers(db, id, since, { limit: shownAtOnce, without: await blockedIds(db, viewer.id) })
}

export async function countChannelOnline(db: Db, viewer: Viewer, channelId: string): Promise<Count> {
  const { at, since } = await onlineWindow(db)
  return { count: await countOnlineMembers(db, await requireOpenChannel(db, viewer, channelId), since), at }
}

async function requireOpenChannel(db: Db, viewer: Viewer, channelId: string): Promise<string> {
  const id = (await findChannel(db, channelId))?.id ?? (await findChannelId(db, channelId))
  return (await requireReadableChannel(db, viewer, id ?? fail('notFound', 'channel'))).channel.id
}

export async function listRoomViewers(
  db: Db,
  viewer: Viewer,
  rooms: WatchedRooms | undefined,
  roomId: string,
) {
  const id = await (rooms?.resolve(db, viewer, roomId) ?? fail('notFound', 'room'))
  const { since } = await onlineWindow(db)
  const viewers = await findRoomViewers(db, id, since, viewersAtOnce)
  return { viewers, limit: viewersAtOnce, total: await countRoomViewers(db, id, since) }
}

export async function countRoom(
  db: Db,
  viewer: Viewer,
  rooms: WatchedRooms | undefined,
  roomId: string,
): Promise<Count> {
  const id = await (rooms?.resolve(db, viewer, roomId) ?? fail('notFound', 'room'))
  const { at, since } = await onlineWindow(db)
  return { count: await countRoomViewers(db, id, since), at }
}

/** What the viewer chose, and what holds for everybody. */
export async function readPresenceSettings(db: Db, viewer: Viewer) {
  const [network, updatedAt, choice] = await Promise.all([
    readSettings(db, 'presence'),
    settingsChangedAt(db, 'presence'),
    findChoice(db, viewer.id),
  ])
  // Whoever never chose has been visible from the start.
  const [user] = choice ? [] : await findUsersById(db, [viewer.id])
  return { network, updatedAt, user: choice ?? { isEnabled: true, enabledAt: user?.createdAt ?? null } }
}
