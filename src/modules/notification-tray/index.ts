import type { Slice } from '../../kernel/slice.ts'
import { notificationTrayRoutes } from './routes.ts'

/** What happened to a person, gathered for them to look at: until when they did. */
export const notificationTray: Slice = { name: 'notification-tray', routes: notificationTrayRoutes }
