import type { Slice } from '../../kernel/slice.ts'
import { adRoutes } from './routes.ts'

/** Advertisements. None can be configured, and clients ask for them at sign-in: they are told so. */
export const ads: Slice = { name: 'ads', routes: adRoutes }
