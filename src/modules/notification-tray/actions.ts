import { now } from '../../platform/clock.ts'
import type { Tx } from '../../kernel/database.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import type { MarkItemsSeenBody } from './schema.ts'
import { raiseTraySeen } from './store.ts'
import { raiseItemsSeen, type SeenMark } from './write-store.ts'

/** Records until when the viewer has seen their tray; a time to come counts as now. Answers where it stands. */
export async function markTraySeen(tx: Tx, viewer: Viewer, lastSeenAt: string): Promise<Date> {
  return raiseTraySeen(tx, viewer.id, notAfterNow(lastSeenAt))
}

/** As `markTraySeen`, for single items. Those that are not the viewer's are passed over. Answers the others. */
export async function markItemsSeen(
  tx: Tx,
  viewer: Viewer,
  { trayItems }: MarkItemsSeenBody,
): Promise<SeenMark[]> {
  return raiseItemsSeen(
    tx,
    viewer.id,
    trayItems.map(({ id, lastSeenAt }) => ({ id, lastSeenAt: notAfterNow(lastSeenAt) })),
  )
}

function notAfterNow(time: string | undefined): Date {
  const at = now()
  const given = time === undefined ? at : new Date(time)
  return given < at ? given : at
}
