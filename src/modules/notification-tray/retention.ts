/** How long an item is shown and kept after the last thing happened in it. */
const keptMs = 90 * 86_400_000

/** What happened before is neither shown nor kept. */
export function keptSince(at: Date): Date {
  return new Date(at.getTime() - keptMs)
}
