import type { Slice } from '../../kernel/slice.ts'
import type { BanFollower } from './actions.ts'
import { channelBanRoutes } from './routes.ts'

export { banFromChannel, type BanFollower } from './actions.ts'

/** Bans in channels: they end a membership and take back what was said, so they stand above both. */
export function channelBansSlice(followers: BanFollower[]): Slice {
  return { name: 'channel-bans', routes: (routes) => channelBanRoutes(routes, followers) }
}
