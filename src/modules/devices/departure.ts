import type { UserDeparture } from '../users/index.ts'
import { deleteDevicesOf } from './store.ts'

/** Who is banned or deleted is sent nothing more. */
export const deviceDeparture: UserDeparture = {
  banned: (tx, _viewer, userId) => deleteDevicesOf(tx, userId),
  deleted: (tx, _viewer, userId) => deleteDevicesOf(tx, userId),
}
