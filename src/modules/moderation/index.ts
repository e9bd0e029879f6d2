import type { Slice } from '../../kernel/slice.ts'
import { moderationRoutes } from './routes.ts'

export { requireAllowedText, textsIn } from './check.ts'

/** What may be written: block and allow lists, repetition, silence. */
export const moderation: Slice = { name: 'moderation', routes: moderationRoutes }
