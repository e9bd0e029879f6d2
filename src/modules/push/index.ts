import type { Db } from '../../kernel/database.ts'
import type { Sink } from '../../kernel/outbox/dispatcher.ts'
import type { Slice } from '../../kernel/slice.ts'
import type { Log } from '../../platform/log.ts'
import { openPushSenders, type PushServices } from '../../platform/push/open-services.ts'
import { openVapidKeys } from './keys.ts'
import { pushRoutes } from './routes.ts'
import { createPushSink } from './sink.ts'
import { startPushWorker } from './worker.ts'

export { announce } from './announce.ts'

/** Notifications that reach people's devices while the app is closed. */
export interface Push {
  slice: Slice
  sink: Sink
  /** Stops taking work, waits for what is under way and closes the services. */
  stop(): Promise<void>
}

interface PushOptions {
  version: string
  log: Log
  /** How long a message may be read elsewhere before it is pushed, in ms. */
  graceMs: number | undefined
}

/** Starts pushing by the services that are set up. */
export async function openPush(
  db: Db,
  services: PushServices,
  { version, log, graceMs }: PushOptions,
): Promise<Push> {
  const keys = await openVapidKeys(db)
  const senders = openPushSenders(services, keys, `Hubbub/${version}`)
  const worker = startPushWorker({ db, senders, log, ...(graceMs !== undefined && { graceMs }) })
  const webPushKey = services.web && keys.publicKey
  return {
    slice: { name: 'push', routes: (routes) => pushRoutes(routes, webPushKey) },
    sink: createPushSink(db, worker.nudge),
    stop: worker.stop,
  }
}
