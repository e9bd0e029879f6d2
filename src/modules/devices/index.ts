import type { Slice } from '../../kernel/slice.ts'
import { deviceRoutes } from './routes.ts'

export { deviceDeparture } from './departure.ts'
export { deleteDeadDevice } from './store.ts'

/** Where push notifications go. */
export const devices: Slice = { name: 'devices', routes: deviceRoutes }
