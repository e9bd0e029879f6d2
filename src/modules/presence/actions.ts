import { now } from '../../platform/clock.ts'
import type { Tx } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import type { WatchedRooms } from './room.ts'
import { beat, beatInRoom, deletePresence, deleteStaleRoomPresences, upsertChoice } from './store.ts'
import { onlineWindow } from './window.ts'

/** The viewer is there. Fails with `forbidden` for those who chose not to be seen. */
export async function heartbeat(tx: Tx, viewer: Viewer): Promise<void> {
  const { at } = await onlineWindow(tx)
  if (!(await beat(tx, viewer.id, at))) fail('forbidden', 'your presence is switched off')
}

const day = 86_400_000
const forgottenAtOnce = 10

/** The viewer watches a room. */
export async function heartbeatInRoom(
  tx: Tx,
  viewer: Viewer,
  rooms: WatchedRooms | undefined,
  roomId: string,
): Promise<void> {
  const id = await (rooms?.resolve(tx, viewer, roomId) ?? fail('notFound', 'room'))
  const window = await onlineWindow(tx)
  await beatInRoom(tx, id, viewer.id, window)
  // Rooms end without saying so here: whoever comes sweeps behind those who went.
  await deleteStaleRoomPresences(tx, new Date(window.at.getTime() - day), forgottenAtOnce)
}

/** Chooses whether others see the viewer online. Who chooses not to is gone at once. */
export async function choosePresence(tx: Tx, viewer: Viewer, isEnabled: boolean): Promise<Date> {
  const at = now()
  await upsertChoice(tx, viewer.id, isEnabled, at)
  if (!isEnabled) await deletePresence(tx, viewer.id)
  return at
}
