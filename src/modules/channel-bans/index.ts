import type { Slice } from '../../kernel/slice.ts'
import { channelBanRoutes } from './routes.ts'

export { banFromChannel } from './actions.ts'

/** Bans in channels: they end a membership and take back what was said, so they stand above both. */
export const channelBans: Slice = { name: 'channel-bans', routes: channelBanRoutes }
