import { now } from '../../platform/clock.ts'
import type { Db } from '../../kernel/database.ts'
import { deleteOldDeliveries } from './store.ts'

/** What was never delivered stays so long, to be looked at and sent again. */
const keepUndeliveredMs = 30 * 86_400_000

const partSize = 5000
const maxParts = 20

/** Deletes deliveries and messages that are older than they are kept, so much at a time that nothing else waits. */
export async function sweepDeliveries(db: Db, keepDeliveredMs: number): Promise<void> {
  const at = now().getTime()
  const before = {
    deliveredBefore: new Date(at - Math.min(keepDeliveredMs, keepUndeliveredMs)),
    anyBefore: new Date(at - keepUndeliveredMs),
  }
  for (let part = 0; part < maxParts; part++) {
    if (!(await deleteOldDeliveries(db, before, partSize))) return
  }
}
