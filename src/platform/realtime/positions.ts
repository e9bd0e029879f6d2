// Positions are decimal integers beyond the safe range of a number, without leading zeros: the longer is the later.

/** Negative, zero or positive as the first position is before, at or after the second. */
export function comparePositions(a: string, b: string): number {
  if (a.length !== b.length) return a.length - b.length
  return a < b ? -1 : a > b ? 1 : 0
}

/** The later of two positions, either of which may be absent. */
export function laterPosition(a: string | undefined, b: string | undefined): string | undefined {
  if (a === undefined || b === undefined) return a ?? b
  return comparePositions(a, b) >= 0 ? a : b
}

/** Reads a `Last-Event-ID` header; undefined when it is absent or not a position. */
export function parsePosition(text: string | undefined): string | undefined {
  if (text === undefined || !/^\d{1,19}$/.test(text)) return undefined
  return text.replace(/^0+(?=\d)/, '')
}
