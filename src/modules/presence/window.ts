import type { Db } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import { now } from '../../platform/clock.ts'
import { readSettings } from '../network-settings/index.ts'

const minute = 60_000
/** How late a heartbeat may come, in ms, before its sender counts as gone. */
const lateness = 15_000

/** Now, and since when someone must have been heard of to count as there. Fails when the network shows no presence. */
export async function onlineWindow(db: Db): Promise<{ at: Date; since: Date }> {
  const { enabled, heartbeatInterval } = await readSettings(db, 'presence')
  if (!enabled) fail('forbidden', 'presence is switched off')
  const at = now()
  return { at, since: new Date(at.getTime() - heartbeatInterval * minute - lateness) }
}
