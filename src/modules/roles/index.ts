import type { Slice } from '../../kernel/slice.ts'
import { roleSlots } from './resource.ts'

export { findRoles, roleExists } from './store.ts'

export const roles: Slice = { name: 'roles', slots: roleSlots }
