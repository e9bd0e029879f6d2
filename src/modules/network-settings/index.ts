import type { Slice } from '../../kernel/slice.ts'
import { networkSettingRoutes } from './routes.ts'

export { readSettings, settingsChangedAt, settingsTopic } from './settings.ts'
export { requireSwitchedOn, switchedBy } from './switched.ts'

export const networkSettings: Slice = { name: 'network-settings', routes: networkSettingRoutes }
