import { elapsed } from '../../platform/clock.ts'

/** Counts who watches over HTTP: a player of HLS is there as long as it asks for its playlist. */
export interface ViewerCounter {
  seen(streamId: string, player: string): void
  count(streamId: string): number
  /** What somebody watched of late. */
  names(): string[]
}

/** Longer than any player waits between two playlists. */
const goneMs = 12_000
const playersAtMost = 100_000

export function createViewerCounter(): ViewerCounter {
  const streams = new Map<string, Map<string, number>>()

  function count(streamId: string): number {
    const players = streams.get(streamId)
    if (!players) return 0
    for (const [player, at] of players) if (elapsed() - at > goneMs) players.delete(player)
    if (players.size === 0) streams.delete(streamId)
    return players.size
  }

  return {
    seen(streamId, player) {
      const players = streams.get(streamId) ?? new Map<string, number>()
      streams.set(streamId, players)
      if (players.size < playersAtMost || players.has(player)) players.set(player, elapsed())
    },
    count,
    names: () => [...streams.keys()].filter((streamId) => count(streamId) > 0),
  }
}
