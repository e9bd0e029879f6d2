import { isAdmin, type Viewer } from '../../kernel/viewer.ts'
import type { RoomStatus } from './schema.ts'

/**
 * Which status may follow which. Media and time move a room on; only `error` is left again, when an encoder comes that
 * can be used. A room that was stopped never begins anew.
 */
const transitions: Readonly<Record<RoomStatus, readonly RoomStatus[]>> = {
  idle: ['live', 'ended', 'terminated', 'error'],
  error: ['live', 'ended', 'terminated'],
  live: ['waitingReconnect', 'ended', 'terminated'],
  waitingReconnect: ['live', 'ended', 'terminated'],
  ended: ['recorded', 'terminated'],
  recorded: ['terminated'],
  terminated: [],
}

export function mayBecome(from: RoomStatus, to: RoomStatus): boolean {
  return transitions[from].includes(to)
}

/** Whether a room is on the air, be it without media for a moment. */
export function isOnAir({ status }: { status: RoomStatus }): boolean {
  return status === 'live' || status === 'waitingReconnect'
}

/** Whether a room will not be live again. */
export function isOver({ status }: { status: RoomStatus }): boolean {
  return status === 'ended' || status === 'recorded' || status === 'terminated'
}

/** Who changes, stops and deletes a room, and sees its key: its host and administrators. */
export function canManageRoom(viewer: Viewer, room: { userId: string }): boolean {
  return room.userId === viewer.id || isAdmin(viewer)
}
