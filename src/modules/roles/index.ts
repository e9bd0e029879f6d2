import type { Slice } from '../../kernel/slice.ts'
import { roleSlots } from './resource.ts'
import { roleRoutes } from './routes.ts'

export { requireAssignable } from './actions.ts'
export { findRoles, roleExists } from './store.ts'
export { userRowTopic, viewerTopic } from './topics.ts'

export const roles: Slice = { name: 'roles', slots: roleSlots, routes: roleRoutes }
