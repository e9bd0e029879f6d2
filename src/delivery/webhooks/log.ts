import type { Db, Tx } from '../../kernel/database.ts'
import type { Cursor } from '../../kernel/paging.ts'
import { now } from '../../platform/clock.ts'
import {
  findDelivery,
  findMessageBody,
  listDeliveries,
  replayDead,
  replayDelivery,
  type DeliveryFilter,
  type DeliveryRow,
  type ReplayFilter,
} from './log-store.ts'
import { deleteDeliveriesOf } from './store.ts'

export type { DeliveryFilter, DeliveryRow, ReplayFilter } from './log-store.ts'

/** What was sent to endpoints, and sending it again. */
export interface DeliveryLog {
  /** Newest first. */
  list(db: Db, webhookId: string, filter: DeliveryFilter, cursor: Cursor): Promise<DeliveryRow[]>
  /** One, with the body that is sent. */
  find(db: Db, webhookId: string, messageId: string): Promise<(DeliveryRow & { body: string }) | undefined>
  /** Sends one again from the first attempt on, under the same id. Answers whether there is one. */
  replay(tx: Tx, webhookId: string, messageId: string): Promise<boolean>
  /** Sends again what was given up. Answers how many. */
  replayDead(tx: Tx, webhookId: string, filter: ReplayFilter): Promise<number>
  /** Forgets all of an endpoint. */
  forget(tx: Tx, webhookId: string): Promise<void>
}

export const deliveryLog: DeliveryLog = {
  list: listDeliveries,
  async find(db, webhookId, messageId) {
    const row = await findDelivery(db, webhookId, messageId)
    return row && { ...row, body: (await findMessageBody(db, messageId)) ?? '{}' }
  },
  replay: (tx, webhookId, messageId) => replayDelivery(tx, webhookId, messageId, now()),
  replayDead: (tx, webhookId, filter) => replayDead(tx, webhookId, filter, now()),
  forget: deleteDeliveriesOf,
}
