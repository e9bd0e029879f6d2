import type { Slice } from '../../kernel/slice.ts'
import { pushRoutes } from './routes.ts'

export { openVapidKeys } from './keys.ts'
export { createPushSink } from './sink.ts'
export { startPushWorker, type PushWorker } from './worker.ts'

/** Notifications that reach people's devices while the app is closed. */
export function pushSlice({ webPushKey }: { webPushKey: string | null }): Slice {
  return { name: 'push', routes: (routes) => pushRoutes(routes, webPushKey) }
}
