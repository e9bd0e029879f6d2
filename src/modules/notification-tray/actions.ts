import { now } from '../../platform/clock.ts'
import type { Tx } from '../../kernel/database.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import { raiseTraySeen } from './store.ts'

/** Records until when the viewer has seen their tray; a time to come counts as now. Answers where it stands. */
export async function markTraySeen(tx: Tx, viewer: Viewer, lastSeenAt: string): Promise<Date> {
  const at = now()
  const seen = new Date(lastSeenAt)
  return raiseTraySeen(tx, viewer.id, seen < at ? seen : at)
}
