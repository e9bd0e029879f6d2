import type { Slice } from '../../kernel/slice.ts'
import { traySlots } from './resource.ts'
import { notificationTrayRoutes } from './routes.ts'

export { createTraySink } from './sink.ts'

/** What happened to a person, gathered for them to look at, and until when they did. */
export const notificationTray: Slice = {
  name: 'notification-tray',
  slots: traySlots,
  routes: notificationTrayRoutes,
}
