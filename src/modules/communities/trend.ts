// What activity adds to a community's trend (docs/decisions/top-trending.md): its weight, doubled for every week it is
// later than the epoch. Comparing two such sums is comparing sums that halve every week, at any moment, so the order is
// a stored column. A double holds it until 2044.
const epoch = Date.UTC(2025, 0, 1)
const halfLifeMs = 7 * 24 * 60 * 60 * 1000

/** How much each kind of activity counts. */
export const trendWeights = { join: 1, post: 2 } as const

/** What one piece of activity at a time adds to the trend, and what undoing it takes away. */
export function trendShare(activity: keyof typeof trendWeights, at: Date): number {
  return trendWeights[activity] * 2 ** ((at.getTime() - epoch) / halfLifeMs)
}
