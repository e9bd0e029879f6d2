import type { Slice } from '../../kernel/slice.ts'
import { categorySlots } from './resource.ts'
import { categoryRoutes } from './routes.ts'

export { requireCategories } from './queries.ts'

export const categories: Slice = { name: 'categories', slots: categorySlots, routes: categoryRoutes }
