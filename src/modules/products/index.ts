import type { Slice } from '../../kernel/slice.ts'
import { productRoutes } from './routes.ts'

/** The product catalogue that posts tag from. None can be configured, so it is empty. */
export const products: Slice = { name: 'products', routes: productRoutes }
