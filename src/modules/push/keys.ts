import { now } from '../../platform/clock.ts'
import { generateVapidKeys, type VapidKeys } from '../../platform/push/web-push.ts'
import { inTransaction, type Db } from '../../kernel/database.ts'
import { findPushKeys, insertPushKeys } from './keys-store.ts'

/** The keys by which browsers' push services know this network: made at the first start, the same on every node. */
export async function openVapidKeys(db: Db): Promise<VapidKeys> {
  return inTransaction(db, async (tx) => {
    await insertPushKeys(tx, generateVapidKeys(), now())
    return findPushKeys(tx)
  })
}
