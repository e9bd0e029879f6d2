import type { Slice } from '../../kernel/slice.ts'
import { notificationSettingRoutes } from './routes.ts'

export { fill, type NotifiableName } from './events.ts'
export { readTemplates, settingNamesOf, type Templates } from './queries.ts'

/** What people want to be notified of. */
export const notificationSettings: Slice = {
  name: 'notification-settings',
  routes: notificationSettingRoutes,
}
