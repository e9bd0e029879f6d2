import { now } from '../../platform/clock.ts'
import type { Log } from '../../platform/log.ts'
import type { PushOutcome, PushSender } from '../../platform/push/sender.ts'
import { inTransaction, type Db } from '../../kernel/database.ts'
import { deleteDeadDevice } from '../devices/index.ts'
import { findUnreadCounts } from '../markers/index.ts'
import { retryDelay } from './backoff.ts'
import { claimDeliveries, deleteDelivery, postponeDelivery, type Claim } from './delivery-store.ts'
import { createPause } from './pause.ts'

/** Pushes of one service at once, and how long one may take before another node may try it, in ms. */
const atOnce = 64
const leaseMs = 60_000
const ttlMs = 86_400_000

interface LaneOptions {
  db: Db
  sender: PushSender
  log: Log
  pollMs: number
}

export interface Lane {
  /** There may be deliveries that are due. */
  nudge(): void
  stop(): Promise<void>
}

/** Hands what is due of one service to it, a bounded number at a time. */
export function startLane({ db, sender, log, pollMs }: LaneOptions): Lane {
  const pause = createPause()
  const under = new Set<Promise<void>>()

  async function claim(): Promise<number> {
    const at = now()
    const limit = atOnce - under.size
    const leasedUntil = new Date(at.getTime() + leaseMs)
    const claims = await claimDeliveries(db, sender.vendor, { at, leasedUntil, limit })
    const unread =
      claims.length > 0
        ? await findUnreadCounts(
            db,
            claims.map(({ userId }) => userId),
          )
        : null
    for (const one of claims) {
      const work = deliver(one, unread?.get(one.userId) ?? 0)
        .catch((error: unknown) => log.error({ err: error, vendor: sender.vendor }, 'push not settled'))
        .finally(() => {
          under.delete(work)
          // A place is free, and there may be more than there was room for.
          if (under.size === atOnce / 2) pause.wake()
        })
      under.add(work)
    }
    return claims.length
  }

  async function deliver(one: Claim, badge: number): Promise<void> {
    const { title, body, data, collapseKey, createdAt, token } = one
    const left = createdAt.getTime() + ttlMs - now().getTime()
    if (one.isRead || left <= 0) return deleteDelivery(db, one.id)
    const ttlSeconds = Math.ceil(left / 1000)
    const outcome = await sender.send(token, { title, body, badge, collapseKey, data, ttlSeconds })
    await settle(one, outcome)
  }

  async function settle(one: Claim, outcome: PushOutcome): Promise<void> {
    const { vendor } = sender
    if (outcome.kind === 'retry') {
      const delay = outcome.afterMs ?? retryDelay(one.attempts, one.id)
      log.warn({ vendor, reason: outcome.reason, attempts: one.attempts }, 'push to be tried again')
      return postponeDelivery(db, one.id, new Date(now().getTime() + delay))
    }
    if (outcome.kind === 'gone') {
      log.info({ vendor, reason: outcome.reason }, 'device no longer known to its push service')
      await inTransaction(db, (tx) => deleteDeadDevice(tx, one.deviceId, one.token))
    }
    if (outcome.kind === 'refused') log.error({ vendor, reason: outcome.reason }, 'push refused')
    await deleteDelivery(db, one.id)
  }

  async function run(): Promise<void> {
    while (!pause.isOver()) {
      try {
        const isFull = under.size >= atOnce
        if (!isFull && (await claim()) > 0 && under.size < atOnce) continue
      } catch (error) {
        log.error({ err: error, vendor: sender.vendor }, 'push deliveries could not be claimed, trying again')
      }
      await pause.wait(pollMs)
    }
  }
  const running = run()

  return {
    nudge: () => pause.wake(),
    async stop() {
      pause.end()
      await running
      await Promise.all(under)
    },
  }
}
